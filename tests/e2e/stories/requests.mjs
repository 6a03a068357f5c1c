// Requests to Services: a lane with rates and failures, and the cause of a period of failures.
// Shows: TR-040, TR-056, R-04
import { expect, test } from "../test.mjs";

const SCENARIO_WITH_FAILED_REQUESTS = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: hasty}
spec:
  title: A server that closes too soon
  seed: 4
  cluster: {zones: [a, b], nodesPerZone: 1}
  timeline:
  - {at: 10s, run: "app traffic start web --rate 4000/s"}
  - {at: 20s, run: "kubectl delete pod web-0 --wait=false"}
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-0, labels: {app: web}, annotations: {behavior.podscope.dev/app: "sigterm=5s"}}, spec: {nodeName: a-1, containers: [{name: app, image: "app:1", ports: [{containerPort: 80}]}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-1, labels: {app: web}}, spec: {nodeName: b-1, containers: [{name: app, image: "app:1", ports: [{containerPort: 80}]}]}}
`;

test("the requests lane shows rates and failures, and explains a period of failures", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "hasty.yaml": SCENARIO_WITH_FAILED_REQUESTS });
  await t.seek(page, "0:40.0");
  const lane = page.locator('[data-lane="requests"]');
  await expect(lane.locator(".k-requests").first(), "at first all requests are answered").toBeVisible();
  await expect(lane.locator(".k-failing").first(), "later some requests fail").toBeAttached();
  await expect(lane.locator(".k-requests").first()).toHaveAttribute("title", /web 4000\/s/);
  const failurePeriod = lane.locator(".k-lost").last();
  await expect(failurePeriod).toHaveAttribute("title", /requests refused: .* sent to web-0, which had closed its listener/);
  await t.checkLooks(page, "requests-lane");

  // A click on the period opens its details, as of the instant of its record: a sentence, and the chain of causes.
  await failurePeriod.click();
  const side = page.locator('.side[data-subject="Requests to web"]');
  await expect(side.locator(".sentence")).toHaveText(/requests refused: .* had closed its listener.* had not heard of the change\.$/);
  const causeChain = side.locator(".thread");
  await expect(causeChain.getByText(/SIGTERM to app/).first()).toBeVisible();
  await expect(causeChain.locator("li").last()).toContainText(/requests refused: .* had closed its listener/);
  await t.checkLooks(page, "requests-why");

  // The same details are opened by keyboard from the list of the lane.
  await side.getByRole("button", { name: "Close the details" }).click();
  await page.getByRole("button", { name: /The lanes as lists/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Requests", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: /requests refused/ }).first().focus();
  await page.keyboard.press("Enter");
  await expect(side.locator(".sentence")).toHaveText(/requests refused/);
});
