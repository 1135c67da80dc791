import { expect, expectAccessible, look, type Page, settled, test } from "./test";
import type { Server } from "./server";

test.use({ world: "recorded" });

let admin = "";
let reader = "";

async function makeKeys(server: Server): Promise<void> {
  if (admin) return;
  const secret = async (...args: string[]) => {
    const printed = await server.headwater("key", "create", ...args);
    return /hw_\S+/.exec(printed)?.[0] ?? "";
  };
  admin = await secret("--role", "admin", "--name", "boss");
  await server.headwater("tenant", "create", "sales");
  reader = await secret("--role", "reader", "--tenant", "sales", "--name", "analyst");
  expect(admin && reader).toBeTruthy();
  await expect.poll(async () => (await fetch(`${server.url}/api/v2/datasets`)).status).toBe(401);
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("Key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test.beforeEach(async ({ server, allowed }) => {
  await makeKeys(server);
  allowed.push(/401/, /400.*api/); // not signed in; a first question before it is known that the key is for all tenants
});

test("whoever is not signed in is asked for a key, and comes back to where they wanted to go", async ({ page }) => {
  await page.goto("/jobs?name=orders");
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  await look(page, "sign-in");
  await signIn(page, "hw_wrong");
  await expect(page.getByRole("alert")).toContainText("does not accept this key");
  await expectAccessible(page);
  await signIn(page, admin);
  await expect(page).toHaveURL(/\/jobs\?/);
  await expect(page).not.toHaveURL(/hw_/);
  expect(
    await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })),
  ).not.toContain("hw_");
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  expect(cookie?.value).not.toContain(admin.slice(3));
});

test("who may choose a tenant does, and the address keeps it", async ({ page }) => {
  await page.goto("/sign-in");
  await signIn(page, admin);
  await page.getByRole("button", { name: "Tenant" }).click();
  await page.getByRole("menuitemradio", { name: "sales" }).click();
  await expect(page).toHaveURL(/tenant=sales/);
  await page.getByRole("navigation", { name: "Main navigation" }).getByRole("link", { name: "Datasets" }).click();
  await expect(page.getByText("Nothing is here yet")).toBeVisible();
  await expect(page).toHaveURL(/tenant=sales/);
});

test("a key is made, shown once, and revoked", async ({ page }) => {
  await page.goto("/sign-in?back=%2Foperations%3Ftab%3Dkeys");
  await signIn(page, admin);
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("nightly");
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Create a key" }).click();
  await expect(page.getByRole("dialog").locator("code")).toContainText(/^hw_/);
  await page.keyboard.press("Escape");
  const row = page.getByRole("table", { name: "Keys" }).locator("tr", { hasText: "nightly" });
  await expect(row).toContainText("active");
  await look(page, "operations-keys");
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect(row).toContainText("revoked");
});

test("a reader of one tenant sees no other, and no operations", async ({ page }) => {
  await page.goto("/sign-in?back=%2Fdatasets");
  await signIn(page, reader);
  await expect(page.getByText("Nothing is here yet")).toBeVisible();
  await expect(page.getByRole("button", { name: "Tenant" })).toHaveCount(0);
  await page.goto("/operations");
  await expect(page.getByText("You may not see this")).toBeVisible();
});

test("signing out, and a session that ended elsewhere", async ({ page, server }) => {
  await page.goto("/sign-in?back=%2Fdatasets");
  await signIn(page, admin);
  await expect(page.getByRole("table")).toBeVisible();
  await page.getByRole("button", { name: "Signed in as boss" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  await signIn(page, admin);
  await page.goto("/datasets");
  await settled(page);
  const [cookie] = await page.context().cookies();
  await fetch(`${server.url}/api/v2/session`, {
    method: "DELETE",
    headers: { cookie: `${cookie?.name}=${cookie?.value}`, origin: server.url },
  });
  await page.getByRole("navigation", { name: "Main navigation" }).getByRole("link", { name: "Jobs" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  await signIn(page, admin);
  await expect(page).toHaveURL(/\/jobs/);
});

test("another site's page can do nothing with the cookie", async ({ page, server }) => {
  await page.goto("/sign-in?back=%2Fdatasets");
  await signIn(page, admin);
  await expect(page.getByRole("table")).toBeVisible();
  const [cookie] = await page.context().cookies();
  const foreign = await fetch(`${server.url}/api/v2/keys`, {
    method: "POST",
    headers: {
      cookie: `${cookie?.name}=${cookie?.value}`,
      origin: "https://evil.example.com",
      "content-type": "application/json",
    },
    body: "{}",
  });
  expect(foreign.status).toBe(403);
});

test("the page allows no script but its own files, and no other host", async ({ server }) => {
  const answer = await fetch(`${server.url}/`, { headers: { accept: "text/html" } });
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src 'self'(;|$)/);
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const html = await answer.text();
  expect(html).not.toMatch(/<script(?![^>]*\ssrc="\/)/);
  expect(html).not.toMatch(/\son\w+=|(src|href)="(https?:)?\/\//);
});
