// The API's view beside reality: what the API server believes and since when, what it does next, and what really runs.
import { expect, test } from "../test.mjs";

const CUT_OFF_NODE = '[data-node="c-2"]';

/** Opens the page and cuts node c-2 off at 0:20 with a console command. */
const openWithCutOffNode = async (t) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault partition c-2");
  await expect(page.locator(`.node.cut${CUT_OFF_NODE}`)).toBeVisible();
  return page;
};

// Shows: U-15
test("a node card shows the node's status in the API, since when, and the next expected change", async ({ t }) => {
  const page = await openWithCutOffNode(t);
  await t.seek(page, "0:40.0");
  await expect(page.locator(CUT_OFF_NODE).getByText(/Ready, last heard \d+ s ago · NotReady at 1:\d\d/)).toBeVisible();
  await t.seek(page, "1:30.0");
  await expect(page.locator(CUT_OFF_NODE).getByText(/NotReady since 1:\d\d · evicts 1 pod at 6:\d\d/)).toBeVisible();
  expect(await page.locator('[data-lane="faults"] .k-notready').count(), "the faults lane marks NotReady").toBeGreaterThan(0);
  await t.checkLooks(page, "belief");
  await t.openView(page);
  const viewSwitch = page.getByRole("group", { name: "Whose picture" });
  await viewSwitch.getByRole("button", { name: "API" }).click();
  await expect(page.locator(".node.cut"), "the API server's view shows no cut").toHaveCount(0);
  await t.checkLooks(page, "belief-api");
  await viewSwitch.getByRole("button", { name: "machine" }).click();
  await expect(page.locator(`.node.cut${CUT_OFF_NODE} [data-pod="default/db-0"].m-ready`)).toBeVisible();
  await expect(page.locator(`${CUT_OFF_NODE} .api`), "the machine view shows no belief of the API").toHaveCount(0);
  await t.checkLooks(page, "belief-machine");
  await viewSwitch.getByRole("button", { name: "both" }).click();
});

// Shows: U-15
test("the list 'Just now' contains only events before the cursor, also after a seek", async ({ t }) => {
  const page = await openWithCutOffNode(t);
  await t.seek(page, "1:30.0");
  await t.openLegend(page);
  const justNowList = page.locator(".side .log");
  await expect(justNowList.getByText("c-2 is cut off")).toBeVisible();
  await expect(justNowList.getByText("c-2 NotReady")).toBeVisible();
  await expect(justNowList.getByText("c-2 is cut off"), "the cut is listed once").toHaveCount(1);
  await t.seek(page, "0:30.0");
  await expect(justNowList.getByText("c-2 NotReady"), "a later event is not listed").toHaveCount(0);
  await expect(justNowList.getByText("c-2 is cut off")).toBeVisible();
  await t.seek(page, "0:10.0");
  await expect(justNowList.getByText("c-2 is cut off"), "the later cut is not listed").toHaveCount(0);
});

// Shows: U-02, U-15
test("a node card names a cut link, and the list 'Just now' contains the cut once", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.command(page, "fault partition c-2 --from storage");
  await t.seek(page, "1:30.0");
  await expect(page.locator(CUT_OFF_NODE).getByText("cut off from storage")).toBeVisible();
  await expect(page.locator(`${CUT_OFF_NODE} .api`), "heartbeats still arrive, so the node is Ready").toHaveCount(0);
  await t.openLegend(page);
  const justNowList = page.locator(".side .log");
  await expect(justNowList.getByText("c-2 is cut off from storage")).toBeVisible();
  await expect(justNowList.getByText("fault partition"), "the command is not listed as well").toHaveCount(0);
});

// Shows: U-15
test("the guarantees lane shows when a guarantee was broken, and for which object", async ({ t }) => {
  const page = await openWithCutOffNode(t);
  // Wait until c-2 is NotReady: before that, the new db-0 could be bound to c-2.
  await t.seek(page, "1:20.0");
  await t.confirmCommand(page, "kubectl delete pod db-0 --grace-period=0 --force");
  await t.seek(page, "1:40.0");
  const brokenBar = page.locator('[data-lane="guarantees"] .span.k-broken[title*="2 × db-0"]');
  await expect(brokenBar.first()).toBeVisible();
  expect(await brokenBar.first().getAttribute("title"), "the title names the subject").toContain("2 × db-0");
  await t.command(page, "fault heal c-2");
  await t.seek(page, "2:40.0");
  await expect(page.locator('[data-lane="guarantees"] .span.k-broken:not(.open)').first()).toBeVisible();
  await t.checkLooks(page, "broken-for-a-while");
  await brokenBar.first().click();
  await expect(page.locator(".side").getByText("at-most-one").first()).toBeVisible();
});
