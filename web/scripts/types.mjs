// Types of the API out of the server's own description: `node scripts/types.mjs DOCUMENT`, written to src/api/schema.d.ts.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const [, , document = "openapi.json"] = process.argv;
const ast = await openapiTS(JSON.parse(await readFile(document, "utf8")), { alphabetize: true });
await writeFile(new URL("../src/api/schema.d.ts", import.meta.url), `${astToString(ast)}\n`);
