// Requests to Services: a lane of rates and failures, and the cause of a failed stretch.
// Shows: TR-040, TR-056
import { expect, test } from "../test.mjs";

const HASTY = `apiVersion: podscope.dev/v1alpha1
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

test("the requests lane shows rates and failures, and the cause of a failed stretch", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "hasty.yaml": HASTY });
  await t.seek(page, "0:40.0");
  const lane = page.locator('[data-lane="requests"]');
  await expect(lane.locator(".k-requests").first(), "at first all requests are answered").toBeVisible();
  await expect(lane.locator(".k-failing").first(), "later some requests fail").toBeAttached();
  await expect(lane.locator(".k-requests").first()).toHaveAttribute("title", /web 4000\/s/);
  const lost = lane.locator(".k-lost").last();
  await expect(lost).toHaveAttribute("title", /requests refused: .* sent to web-0, which had closed its listener/);
  await t.checkLooks(page, "requests-lane");

  // A click on the stretch opens its chain of causes: the signal, and the deletion that led to it.
  await lost.click();
  await expect(page.locator('.side[data-subject="web-0"]')).toBeVisible();
  // The cursor is at the beginning of the stretch, but its record is made at its end.
  await t.seek(page, "0:40.0");
  await page.getByRole("tab", { name: "Life" }).click();
  const thread = page.locator(".side .thread");
  await expect(thread.getByText(/requests refused: .* had closed its listener/).first()).toBeVisible();
  await expect(thread.getByText(/SIGTERM to app/).first()).toBeVisible();
  await t.checkLooks(page, "requests-why");
});
