import { describe, expect, it } from "vitest";
import { firstEvent, newRunId, PRODUCERS, snippet } from "./snippets";

const NOW = new Date("2026-03-01T10:00:00Z");
const RUN = "0197833d-511d-4034-be27-078fb128ca59";

describe.each(PRODUCERS)("what %s is told", (producer) => {
  it("has the address, and a key only where one is needed", () => {
    const open = snippet(producer, { url: "http://127.0.0.1:8580", key: null }, NOW, RUN);
    expect(open).toContain("http://127.0.0.1:8580");
    expect(open).not.toMatch(/null|Authorization|apiKey|API_KEY/);
    const closed = snippet(producer, { url: "https://lineage.example.com", key: "hw_secret" }, NOW, RUN);
    expect(closed).toContain("https://lineage.example.com");
    expect(closed).toContain("hw_secret");
  });
});

it("curl sends an event that is one, and no line of it ends the command too early", () => {
  const text = snippet("curl", { url: "http://localhost:1", key: "hw_k" }, NOW, RUN);
  const body = JSON.parse(/-d '(.*)'$/s.exec(text)?.[1] ?? "");
  expect(body).toEqual(firstEvent(NOW, RUN));
  expect(body.eventTime).toBe("2026-03-01T10:00:00.000Z");
  for (const line of text.split("\n").slice(0, -1)) expect(line).toMatch(/\\$/);
});

it("what Airflow is told is JSON", () => {
  const text = snippet("airflow", { url: "http://localhost:1", key: "hw_k" }, NOW, RUN);
  const transport = JSON.parse(/TRANSPORT='(.*)'/.exec(text)?.[1] ?? "");
  expect(transport).toEqual({ type: "http", url: "http://localhost:1", auth: { type: "api_key", apiKey: "hw_k" } });
});

it("a run id is a UUID of random bits, another one each time", () => {
  expect(newRunId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(newRunId()).not.toBe(newRunId());
});
