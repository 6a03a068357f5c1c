// The search for a run that breaks a guarantee, divided over several engines in Web Workers.
import { readFileSync } from "node:fs";
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

// A scenario with a force deletion at 1:30. Whether it breaks a guarantee depends on the random partitions.
const FORCED_DELETION = readFileSync(new URL("../../fixtures/forced-deletion.yaml", import.meta.url), "utf8");

// Shows: P-16
test("several Web Workers search the seeds, and the shortest run that breaks a guarantee is opened", async ({ t }) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "forced.yaml": FORCED_DELETION });
  await t.pause(page);
  const workersBefore = page.workers().length;
  await chooseFromMore(page, "Find a run that breaks a guarantee");
  const dialog = page.getByRole("dialog", { name: "Find a run that breaks a guarantee" });
  await dialog.getByLabel("Runs", { exact: false }).first().fill("12");
  await dialog.getByRole("button", { name: "Search" }).click();
  await expect(dialog.getByRole("status")).toHaveText(/^12 of 12 runs tried, \d+ broke a guarantee\.$/, { timeout: 120_000 });
  await expect(dialog.getByRole("row", { name: /^At most one \d+$/ })).toBeVisible();
  await expect(dialog.getByText(/^At most one broke at 1:30\.0 with seed \d+: processes of two pods default\/db-0 run/)).toBeVisible();
  expect(page.workers().length, "the engines of the search have ended").toBe(workersBefore);
  await expect(dialog.getByText("By: kubectl delete pod db-0 --grace-period=0 --force")).toBeVisible();
  await t.checkLooks(page, "search");
  await dialog.getByRole("button", { name: "Open this run" }).click();
  await expect(page.getByText(/2 processes, 1 name/i).first()).toBeVisible({ timeout: 60_000 });
});

// Shows: P-16
test("a search can be stopped, and closing its dialog terminates its Web Workers", async ({ t }) => {
  const page = await t.open("#new");
  await expect(page.locator("[data-pod]").first()).toBeVisible();
  await t.pause(page);
  const workersBefore = page.workers().length;
  await chooseFromMore(page, "Find a run that breaks a guarantee");
  const dialog = page.getByRole("dialog", { name: "Find a run that breaks a guarantee" });
  await dialog.getByLabel("Runs", { exact: false }).first().fill("10000");
  await dialog.getByRole("button", { name: "Search" }).click();
  await expect(dialog.getByRole("status")).toHaveText(/^[1-9]\d* of 10000 runs tried/, { timeout: 120_000 });
  await dialog.getByRole("button", { name: "Stop" }).click();
  await expect(dialog.getByRole("status")).toHaveText(/^[1-9]\d* of 10000 runs tried, no guarantee broke\.$/);
  await dialog.getByRole("button", { name: "Search" }).click();
  await expect(dialog.getByRole("button", { name: "Stop" })).toBeVisible();
  expect(page.workers().length).toBeGreaterThan(workersBefore);
  await page.keyboard.press("Escape");
  await expect.poll(() => page.workers().length).toBe(workersBefore);
});
