// What a person does first: a living cluster, a cut, two truths, a link that brings it all back.
import { expect, test } from "../test.mjs";

const clock = (page) => page.locator(".page").getAttribute("data-now");

// Shows: U-01, U-04, U-10
test("a first visit shows a living cluster that explains its placements", async ({ t }) => {
  const page = await t.open("");
  await expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
  await expect(page.locator("[data-node]"), "nodes").toHaveCount(6);
  await page.locator('[data-node="b-2"] [data-pod]').first().click();
  await expect(page.getByText("TaintToleration").first()).toBeVisible();
  await t.screenshot(page, "decision-desktop-light");
  await t.expectAccessible(page);
});

// Shows: U-02, U-03
test("a node cut off is shown as cut while time goes on", async ({ t }) => {
  const page = await t.open("", { theme: "dark" });
  await expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
  await page.getByRole("button", { name: "Cut a node off" }).click();
  const before = await clock(page);
  await page.waitForFunction((now) => document.querySelector(".page").dataset.now !== now, before);
  await expect(page.locator('[data-node="c-2"]').getByText(/cut|no heartbeat|heartbeat/i).first()).toBeVisible();
  await t.screenshot(page, "cut-desktop-dark");
  await t.expectAccessible(page);
});
