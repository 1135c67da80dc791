import { type ChildProcess, spawn } from "node:child_process";
import { PYTHON, type Server } from "./server";

/** A made-up overlay in a process of its own, which tells a server of its publishes and recalls. */
export class Overlay {
  private constructor(
    readonly url: string,
    private readonly process: ChildProcess,
  ) {}

  /** Starts it with so many versions, and configures it in the server by the name `prod`, with the server as sink. */
  static async start(server: Server, versions: number): Promise<Overlay> {
    const own = ["--port", "0", "--versions", String(versions), "--headwater", server.url];
    const child = spawn(PYTHON, ["-m", "headwater", "demo", "overlay", ...own], { cwd: server.data });
    const url = await new Promise<string>((found, failed) => {
      let printed = "";
      child.stdout.on("data", (text) => {
        printed += String(text);
        const at = /listens on (http:\/\/[^\s,]+)/.exec(printed)?.[1];
        if (at) found(at);
      });
      child.stderr.on("data", (text) => (printed += String(text)));
      child.on("exit", (code) => failed(new Error(`headwater demo overlay ended with ${code}\n${printed}`)));
    });
    const overlay = new Overlay(url, child);
    const wanted = { name: "prod", url, producer_host: "lineage.example.com", stable_confs: 3, poll_seconds: 1 };
    await overlay.post(`${server.url}/api/v2/emit/overlays`, wanted);
    await overlay.post(`${server.url}/api/v2/emit/sinks`, { name: "here" });
    return overlay;
  }

  /** One step of its history: publish, recall, mine, reorg. */
  async step(name: string, members: Record<string, unknown> = {}): Promise<void> {
    await this.post(`${this.url}/demo/${name}`, members);
  }

  private async post(url: string, body: object): Promise<void> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const ended = new Promise((done) => this.process.on("exit", done));
    this.process.kill("SIGTERM");
    await ended;
  }
}
