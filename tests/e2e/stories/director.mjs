// The next event that happens by itself is announced, outlined in the future part of the timeline, and reached with one
// click.
// Shows: U-05, E-05
import { expect, test } from "../test.mjs";

const SCENARIO_TO_CUT = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: cut}
spec:
  title: A cut
  cluster: {zones: [a, b], nodesPerZone: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {nodeName: a-1, containers: [{name: app, image: "app:1"}]}
`;

// Shows: T-07
test("the forward button skips to the next expected event and reports it", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "cut.yaml": SCENARIO_TO_CUT });
  await t.pause(page);
  await t.seek(page, "0:10.0");
  await t.command(page, "fault partition a-1");
  const forwardButton = page.locator("[data-forward]");
  await expect(forwardButton).toContainText("NotReady");
  await expect(forwardButton).toHaveAttribute("title", /a-1 becomes NotReady in .*web is evicted in/);
  await expect(page.locator('[data-due="NotReady"]')).toBeAttached();
  await t.checkLooks(page, "due");
  await forwardButton.click();
  await expect(page.locator(".ended").getByText("a-1 became NotReady.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Play" }), "time is paused after the skip").toBeVisible();
  await expect(forwardButton).toContainText("the eviction");
  await t.checkLooks(page, "skipped");
});

// Shows: T-07
test("one press of the forward button passes all scenario events of the same instant", async ({ t }) => {
  const page = await t.open("#lesson=why-not-running");
  await t.seek(page, "0:00.0");
  const forwardButton = page.locator("[data-forward]");
  await expect(forwardButton).toContainText("the next event");
  await forwardButton.click();
  await expect(page.getByRole("complementary", { name: "Story" }).getByText("Here are four")).toBeVisible();
});
