import { Overlay } from "./overlay";
import { expect, expectAccessible, look, type Page, test as base } from "./test";

const test = base.extend<{ overlay: Overlay }>({
  overlay: async ({ server }, use) => {
    const overlay = await Overlay.start(server, 0);
    await use(overlay);
    await overlay.stop();
  },
});
test.use({ world: "empty", settings: { HEADWATER_OUTGOING_PRIVATE: "127.0.0.1" } });

/** Ids of versions are drawn whole, whatever characters they have. */
const [PARENT, VERSION, CHILD] = ["ab/cd==", "ef/gh+1==", "c:1#x"];
const SOON = { timeout: 30_000 };
const pageOf = (version: string, more: Record<string, string> = {}) =>
  `/dataset?${new URLSearchParams({ id: `dataset:overlay:prod:${version}`, ...more }).toString()}`;
const card = (page: Page, version: string) => page.locator("article[data-card]").filter({ hasText: version });

test("a reorg, from the publish until the version is stable again, then verified and recalled", async ({
  page,
  overlay,
  server,
}) => {
  test.setTimeout(180_000);
  await overlay.step("publish", { versionId: PARENT });
  await overlay.step("mine");
  await overlay.step("publish", { versionId: VERSION, parents: [PARENT] });
  await overlay.step("publish", { versionId: CHILD, parents: [VERSION] });
  await overlay.step("mine");
  const entity = `${server.url}/api/v2/show?${new URLSearchParams({ name: `dataset:overlay:prod:${CHILD}` }).toString()}`;
  await expect.poll(async () => (await fetch(entity)).status, SOON).toBe(200);

  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(pageOf(VERSION));
  await expect(page.getByRole("tab", { name: "Visualize" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByText("cryptographic proof via Verify")).toBeVisible();
  for (const version of [PARENT, VERSION, CHILD]) await expect(card(page, version)).toBeVisible();
  await expect(card(page, VERSION)).toContainText("ready");
  expect(asked).toContain("/openlineage/lineage");
  expect(asked).not.toContain("/api/v2/picture");

  await overlay.step("reorg");
  await expect(card(page, VERSION)).toContainText("unstable", SOON);
  await expect(card(page, CHILD)).toContainText("unstable", SOON);
  await expect(card(page, PARENT)).not.toContainText("unstable");
  await expect(page.locator("main header").getByText("unstable")).toBeVisible(SOON);
  await look(page, "overlay-unstable");
  await page.getByRole("tab", { name: "Verify" }).click();
  await page.getByRole("button", { name: "Verify now" }).click();
  const result = page.getByRole("region", { name: "Result" });
  await expect(result.getByRole("status")).toContainText("failed");
  await expect(result.locator("[data-step=readiness]")).toContainText("fails");
  await expect(result.locator("[data-step=merkle_path]")).toContainText("cannot be checked");
  await expect(result.locator("[data-step=bundle_hash]")).toContainText("passes");

  await overlay.step("mine", { blocks: 4 });
  await page.getByRole("tab", { name: "Visualize" }).click();
  await expect(card(page, VERSION)).toContainText("ready", SOON);
  await expect(card(page, VERSION)).not.toContainText("unstable", SOON);

  await page.getByRole("tab", { name: "Verify" }).click();
  await expect(result).toHaveCount(0); // it was not kept
  await page.getByRole("button", { name: "Verify now" }).click();
  await expect(result.getByRole("status")).toContainText("verified");
  await expect(result.getByRole("listitem").filter({ hasText: "passes" })).toHaveCount(8);
  await look(page, "overlay-verified");

  await overlay.step("recall", { versionId: VERSION });
  await page.getByRole("tab", { name: "Visualize" }).click();
  await expect(card(page, VERSION)).toContainText("retracted", SOON);
  await page.goto("/datasets");
  await expect(page.getByRole("row").filter({ hasText: VERSION })).toContainText("retracted");
  await page.goto(`/impact?${new URLSearchParams({ name: `dataset:overlay:prod:${PARENT}` }).toString()}`);
  const affected = page.getByRole("region", { name: "2 steps away" }).getByRole("listitem");
  await expect(affected.filter({ hasText: VERSION })).toContainText("retracted");
});

test("the picture is unfolded step by step, and says what it knows of a version", async ({ page, overlay, server }) => {
  for (const at of [0, 1, 2, 3, 4])
    await overlay.step("publish", { versionId: `step-${at}`, parents: at ? [`step-${at - 1}`] : [] });
  const name = "dataset:overlay:prod:step-4";
  const entity = `${server.url}/api/v2/show?${new URLSearchParams({ name }).toString()}`;
  await expect.poll(async () => (await fetch(entity)).status, SOON).toBe(200);
  await page.goto(pageOf("step-2", { as_of: "2026-01-02T03:04:05Z" }));
  await expect(page.getByText("It is of now")).toBeVisible();
  await page.goto(pageOf("step-2"));
  await expect(page.getByText("It is of now")).toHaveCount(0);
  await expect(page.locator("article[data-card]")).toHaveCount(3);
  await page.getByRole("button", { name: "Show 1 more upstream of step-1" }).click();
  await expect(card(page, "step-0")).toBeVisible();
  await page.getByRole("button", { name: "One step more" }).click();
  await page.getByRole("button", { name: "Show all (0)" }).click();
  await expect(page.locator("article[data-card]")).toHaveCount(5);
  await card(page, "step-1")
    .getByRole("button", { name: /step-1/ })
    .first()
    .click();
  await expect(page.getByRole("complementary")).toContainText("Bundle hash");
  await expectAccessible(page);
});

test("a version whose overlay is not configured cannot be verified, and says why", async ({
  page,
  server,
  allowed,
}) => {
  allowed.push(/400/);
  const name = { namespace: "overlay:other", name: "v" };
  await server.send({
    eventTime: "2026-01-02T03:04:05Z",
    eventType: "COMPLETE",
    producer: "https://lineage.example.com",
    run: { runId: "t" },
    job: { namespace: "overlay:other", name: "publish::v" },
    inputs: [],
    outputs: [name],
  });
  await page.goto(`/dataset?${new URLSearchParams({ id: "dataset:overlay:other:v", tab: "verify" }).toString()}`);
  await page.getByRole("button", { name: "Verify now" }).click();
  await expect(page.getByRole("alert")).toContainText("There is no overlay 'other'");
});
