// Packs every file of the built page as gzip and as brotli beside it, where that makes it smaller: the server packs nothing itself.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TEXT = new Set([".html", ".js", ".css", ".svg", ".json", ".txt"]);
const SMALLEST = 512;
const built = fileURLToPath(new URL("../../src/headwater/web/", import.meta.url));

for (const entry of await readdir(built, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !TEXT.has(extname(entry.name))) continue;
  const path = join(entry.parentPath, entry.name);
  const plain = await readFile(path);
  if (plain.length < SMALLEST) continue;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  await writeFile(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
  await writeFile(`${path}.br`, await promisify(brotliCompress)(plain, quality));
}
