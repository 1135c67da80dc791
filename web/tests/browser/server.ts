import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");
/** The interpreter that has Headwater. */
export const PYTHON = process.env["PYTHON"] ?? join(ROOT, ".venv/bin/python");

/** What a server has in its store when a test begins: nothing, events recorded from real producers, or the demo. */
export type World = "empty" | "recorded" | "demo";

export interface ServerOptions {
  world: World;
  /** Further options of `headwater up`. */
  options: readonly string[];
  /** Settings, as environment variables. */
  settings: Record<string, string>;
}

/** A real Headwater in a process of its own, with its data in a temporary folder. */
export class Server {
  private constructor(
    readonly url: string,
    readonly data: string,
    private readonly process: ChildProcess,
    private readonly log: string[],
  ) {}

  static async start({ world, options, settings }: ServerOptions): Promise<Server> {
    const data = await mkdtemp(join(tmpdir(), "headwater-page-"));
    const environment = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith("HEADWATER_")),
    );
    const child = spawn(PYTHON, ["-m", "headwater", "up", "--port", "0", "--data", data, "--no-pipeline", ...options], {
      cwd: data,
      env: { ...environment, ...settings },
    });
    const log: string[] = [];
    child.stderr.on("data", (text) => log.push(String(text)));
    const url = await new Promise<string>((found, failed) => {
      let printed = "";
      child.stdout.on("data", (text) => {
        printed += String(text);
        const at = /listens on (https?:\/\/[^\s,]+)/.exec(printed)?.[1];
        if (at) found(at);
      });
      child.on("exit", (code) => failed(new Error(`headwater up ended with ${code}\n${printed}${log.join("")}`)));
    });
    const server = new Server(url, data, child, log);
    try {
      await server.fill(world);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  private async fill(world: World): Promise<void> {
    if (world === "demo") await this.headwater("demo", "load", "--url", this.url);
    if (world !== "recorded") return;
    const folder = join(ROOT, "tests/events/recorded");
    for (const name of (await readdir(folder)).filter((one) => one.endsWith(".ndjson")).sort())
      await this.send(await readFile(join(folder, name), "utf8"));
  }

  /** Sends events: NDJSON, or one or more objects. All of them must be taken. */
  async send(...events: readonly (string | object)[]): Promise<void> {
    const body = events.map((event) => (typeof event === "string" ? event : JSON.stringify(event))).join("\n");
    const response = await fetch(`${this.url}/api/v1/lineage/batch`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body,
    });
    const answer = (await response.json()) as { summary?: { failed?: number } };
    if (!response.ok || answer.summary?.failed) throw new Error(`events were refused: ${JSON.stringify(answer)}`);
  }

  /** Runs the command line on the data of this server, and gives what it printed. */
  async headwater(...args: readonly string[]): Promise<string> {
    const where = args.includes("--url") ? [] : ["--data", this.data];
    const child = spawn(PYTHON, ["-m", "headwater", ...args, ...where], { cwd: this.data });
    let printed = "";
    child.stdout.on("data", (text) => (printed += String(text)));
    child.stderr.on("data", (text) => (printed += String(text)));
    const code = await new Promise((done) => child.on("exit", done));
    if (code !== 0) throw new Error(`headwater ${args.join(" ")} ended with ${code}\n${printed}`);
    return printed;
  }

  /** What the server has written to its log. */
  printed(): string {
    return this.log.join("");
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      const ended = new Promise((done) => this.process.on("exit", done));
      this.process.kill("SIGTERM");
      await ended;
    }
    await rm(this.data, { recursive: true, force: true });
  }
}
