// Requests on the stage: who calls a Service, how often, and at which pod requests fail.
// Shows: TR-042, R-04
import { expect, test } from "../test.mjs";

const SCENARIO_WITH_POWER_LOSS = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: power-loss}
spec:
  title: A node without power gets its share
  seed: 4
  cluster: {zones: [a, b], nodesPerZone: 1}
  timeline:
  - {at: 10s, run: "app traffic start web --rate 48/s --from node/a-1"}
  - {at: 20s, run: "fault poweroff b-1"}
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-0, labels: {app: web}}, spec: {nodeName: a-1, containers: [{name: app, image: "app:1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-1, labels: {app: web}}, spec: {nodeName: b-1, containers: [{name: app, image: "app:1"}]}}
`;

test("the stage shows the requests to a Service, and a cross at the pod where they fail", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "power-loss.yaml": SCENARIO_WITH_POWER_LOSS });
  const requestsLabel = page.locator('#stage [data-requests="default/web"]');
  await expect(requestsLabel, "it keeps its room before the first request").toContainText("no requests");
  await t.seek(page, "0:15.0");
  await expect(requestsLabel).toContainText("node a-1 → Service web");
  await expect(requestsLabel).toContainText("48/s");
  await expect(page.locator("#stage .way")).toHaveCount(2);
  await expect(page.locator("#stage .request").first()).toBeAttached();
  await expect(page.locator("#stage .lost")).toHaveCount(0);
  const labelTop = (await requestsLabel.boundingBox()).y;
  for (const node of await page.locator("#stage [data-node]").all()) {
    const box = await node.boundingBox();
    expect(box.y + box.height, "no node is covered").toBeLessThanOrEqual(labelTop);
  }

  await t.seek(page, "0:30.0");
  await expect(page.locator("#stage .lost")).toHaveCount(1);
  await expect(requestsLabel).toContainText(/\d+ failed/);
  await expect(requestsLabel).toContainText(/requests timed out: a-1 sent to web-1, which is on a machine without power/);
  await t.checkLooks(page, "requests-stage");
  await requestsLabel.getByRole("button", { name: /Service web/ }).click();
  await expect(page.locator('.side[data-subject="web"]')).toBeVisible();
});

test("failed requests on the stage are explained in a sentence, with the chain of causes", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "power-loss.yaml": SCENARIO_WITH_POWER_LOSS });
  await t.seek(page, "0:30.0");
  const side = page.locator('.side[data-subject="Requests to web"]');
  const sentence = /^\d+ requests timed out: a-1 sent to web-1, which is on a machine without power.*had not heard of the change\.$/;

  // Open the details from the cross at the pod, by keyboard.
  const cross = page.locator("#stage").getByRole("button", { name: "Why do requests to web-1 fail?" });
  await cross.focus();
  await page.keyboard.press("Enter");
  await expect(side.locator(".sentence")).toHaveText(sentence);
  const causes = side.locator(".thread li");
  await expect(causes.first()).toContainText("fault poweroff b-1");
  await expect(causes.last()).toContainText(/requests timed out/);
  await t.checkLooks(page, "requests-why-stage");
  await page.keyboard.press("Enter");
  await expect(page.locator(".side"), "once more: to its details").toBeFocused();

  // Open the details from the count at the Service.
  await side.getByRole("button", { name: "Close the details" }).click();
  await expect(side).toHaveCount(0);
  await page.locator('#stage [data-requests="default/web"]').getByRole("button", { name: /\d+ failed/ }).click();
  await expect(side.locator(".sentence")).toHaveText(sentence);
  await expect(causes.first()).toContainText("fault poweroff b-1");
});
