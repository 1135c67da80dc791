// What a person waits for on the lineage canvas, in a real browser: see web.py, which starts it. Prints one JSON object.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";

const require = createRequire(new URL("../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const [url, asked] = process.argv.slice(2);
const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path && existsSync(path),
);
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
const round = (value, digits = 0) => (value === null ? null : Number(value.toFixed(digits)));

/** Frames per second, and the longest frame, while the picture is dragged in circles. */
async function panning(page) {
  const box = await page.locator(".react-flow__pane").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.evaluate(() => {
    window.frames_ = [];
    let last = performance.now();
    const tick = (now) => {
      window.frames_.push(now - last);
      last = now;
      window.frame_ = requestAnimationFrame(tick);
    };
    window.frame_ = requestAnimationFrame(tick);
  });
  await page.mouse.move(x, y);
  await page.mouse.down();
  const until = Date.now() + 2500;
  for (let at = 0; Date.now() < until; at += 1) await page.mouse.move(x + 300 * Math.sin(at / 12), y + 200 * Math.cos(at / 12));
  await page.mouse.up();
  const frames = await page.evaluate(() => {
    cancelAnimationFrame(window.frame_);
    return window.frames_.slice(1);
  });
  const all = frames.reduce((sum, one) => sum + one, 0);
  const slowest = [...frames].sort((a, b) => b - a);
  return { fps: round((1000 * frames.length) / all, 1), p95_ms: round(slowest[Math.floor(frames.length / 20)]) };
}

async function opened(path) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  let bytes = 0;
  const client = await context.newCDPSession(page);
  await client.send("Network.enable");
  client.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  const began = Date.now();
  await page.goto(url + path);
  await page.waitForFunction(
    () => document.querySelector("[data-card]") || document.querySelector(".react-flow canvas[aria-hidden]"),
    null,
    { timeout: 60_000, polling: "raf" },
  );
  return { page, context, taken: Date.now() - began, bytes: () => bytes };
}

const found = {};
for (const { nodes, id, steps } of JSON.parse(asked)) {
  const path = `/lineage?id=${encodeURIComponent(id)}&steps=${steps}`;
  const times = [];
  let report = null;
  for (let at = 0; at < 3; at += 1) {
    const { page, context, taken, bytes } = await opened(path);
    times.push(taken);
    if (at === 2) {
      await page.waitForTimeout(1500);
      report = { bytes: bytes(), near: await panning(page) };
      await page.keyboard.press("Escape");
      await page.locator(".react-flow__pane").hover();
      await page.getByRole("button", { name: "Show all (0)" }).click();
      await page.waitForTimeout(600);
      report.all = await panning(page);
      report.expand_ms = await expanded(url, id, context);
    }
    await context.close();
  }
  found[nodes] = { first_picture_ms: median(times), all_times_ms: times, ...report };
}
await browser.close();
console.log(JSON.stringify(found));

/** From the press of a `+n` to the cards that it brings, beginning with one step. */
async function expanded(base, id, context) {
  const page = await context.newPage();
  await page.goto(`${base}/lineage?id=${encodeURIComponent(id)}`);
  await page.locator("[data-card]").first().waitFor();
  await page.waitForTimeout(1200);
  const more = page.getByRole("button", { name: /^Show \d+ more/ }).first();
  if ((await more.count()) === 0) return null;
  const before = await page.locator("article[data-card]").count();
  const began = Date.now();
  await more.evaluate((button) => button.click());
  await page.waitForFunction((count) => document.querySelectorAll("article[data-card]").length > count, before, { polling: "raf" });
  return Date.now() - began;
}
