// The first steps of a visitor: a running cluster with explained scheduling decisions, and a node that is cut off.
import { expect, test } from "../test.mjs";

const currentTime = (page) => page.locator(".page").getAttribute("data-now");

// Shows: U-01, U-04, U-10
test("a first visit shows a running cluster with explained scheduling decisions", async ({ t }) => {
  const page = await t.open("");
  await expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
  await expect(page.locator("[data-node]"), "nodes").toHaveCount(6);
  await page.locator('[data-node="b-2"] [data-pod]').first().click();
  await expect(page.getByText("TaintToleration").first()).toBeVisible();
  await t.screenshot(page, "decision-desktop-light");
  await t.expectAccessible(page);
});

// Shows: U-02, U-03
test("a node is shown as cut off while time runs", async ({ t }) => {
  const page = await t.open("", { theme: "dark" });
  await expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
  await page.getByRole("button", { name: "Cut a node off" }).click();
  const before = await currentTime(page);
  await page.waitForFunction((now) => document.querySelector(".page").dataset.now !== now, before);
  await expect(page.locator('[data-node="c-2"]').getByText(/cut|no heartbeat|heartbeat/i).first()).toBeVisible();
  await t.screenshot(page, "cut-desktop-dark");
  await t.expectAccessible(page);
});
