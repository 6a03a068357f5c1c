// The search field dims everything that does not match; pending pods with the same cause share one line.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const pod = (name, cpu, extraFields = "") => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {team: ${name[0]}}}
spec: {${extraFields}containers: [{name: c, image: app, resources: {requests: {cpu: "${cpu}"}}}]}
`;
const MANY_PENDING_PODS = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: crowd}
spec: {title: Crowd, seed: 3, cluster: {zones: [a, b], nodesPerZone: 2}}
${Array.from({ length: 12 }, (_, i) => pod(`big-${i}`, 40)).join("")}${
  Array.from({ length: 3 }, (_, i) => pod(`held-${i}`, 1, "schedulingGates: [{name: example.com/wait}], ")).join("")}${
  Array.from({ length: 4 }, (_, i) => pod(`small-${i}`, 1)).join("")}`;

const THOUSAND_NODES = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: thousand}
spec: {title: Thousand, seed: 3, cluster: {zones: [a, b, c, d], nodesPerZone: 250}}
`;

// Shows: U-14
test("the search (key /) filters pods and nodes by name, label, state, owner, image and IP", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  const podCount = await page.locator(".node [data-pod]").count();
  await page.locator("#stage").focus();
  await page.keyboard.press("/");
  const field = page.locator(".find input");
  await field.fill("db-0");
  await expect(page.getByText("1 pod, 0 nodes")).toBeVisible();
  await expect(page.locator(".node .pod.out"), "every other pod dims").toHaveCount(podCount - 1);
  await expect(page.locator(".node.out"), "and the nodes without it").toHaveCount(5);
  expect(await page.locator(".lane .out").count(), "and what the lanes say of others").toBeGreaterThan(0);
  await t.checkLooks(page, "find-pod");
  for (const [text, pods] of [["app=web", podCount - 1], ["deployment", podCount - 1], ["ready", podCount], ["c-2", 1], ["db:1", 1], ["10.", podCount], ["no-such-thing", 0]]) {
    await field.fill(text);
    await expect(page.getByText(new RegExp(`^${pods} pods?, `))).toBeVisible();
  }
  // Enter selects the next match, Shift + Enter the previous one.
  await field.fill("db");
  const pod = page.locator("[data-node] .pod.sel");
  await field.press("Enter");
  await expect(pod).toHaveAttribute("data-pod", /db/);
  await expect(page.locator(".side"), "no panel lies over what is found").toHaveCount(0);
  const selectedUid = () => pod.getAttribute("data-uid");
  const selectedUids = [await selectedUid()];
  await field.fill("web-");
  for (let i = 0; i < 3; i += 1) {
    await field.press("Enter");
    await expect.poll(async () => selectedUids.includes(await selectedUid()), "one that was selected before").toBe(false);
    selectedUids.push(await selectedUid());
  }
  await field.press("Shift+Enter");
  await expect.poll(selectedUid, "back to the one before").toBe(selectedUids.at(-2));
  await field.press("Escape");
  await expect(field).toHaveCount(0);
  await expect(page.locator(".out"), "everything is there again").toHaveCount(0);
});

// Shows: U-14, U-08
test("a search result on a phone stays in view, and one press opens it", async ({ t }) => {
  const page = await t.open("#new", { size: "phone" });
  await t.seek(page, "0:30.0");
  await chooseFromMore(page, "Find pods and nodes");
  const field = page.locator(".find input");
  await field.fill("db-0");
  await expect(page.getByText("1 pod, 0 nodes")).toBeVisible();
  await expect(page.locator(".story:visible"), "no story lies before what is found").toHaveCount(0);
  await expect(page.locator(".node.out"), "the nodes without it dim").toHaveCount(5);
  const pod = page.locator('[data-node] [data-pod="default/db-0"]');
  const expectPodInView = async (when) => {
    const [box, dock] = [await pod.boundingBox(), await page.locator(".room").boundingBox()];
    expect(box && box.y > 0 && box.y + box.height < dock.y && !(await page.locator(".side").isVisible()), `${when}: ${box?.y}`).toBeTruthy();
  };
  await expectPodInView("typed");
  await field.press("Enter");
  await expect(page.locator('[data-node] .pod.sel[data-pod="default/db-0"]')).toBeVisible();
  await expectPodInView("gone to");
  await t.checkLooks(page, "find-phone");
  await pod.tap();
  await expect(page.locator('.side[data-subject*="db-0"]')).toBeVisible();
  await page.locator(".side").getByRole("button", { name: "Close the details" }).tap();
  await expectPodInView("back");
});

// Shows: U-14, U-09, U-08
test("the overview of a thousand nodes keeps a found or selected node in view and names it", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "thousand.yaml": THOUSAND_NODES });
  await t.pause(page);
  await t.resize(page, 390, 844);
  const [picture, frame, card] = [page.locator(".picture"), page.locator(".picture i"), page.locator(".beside .node .name")];
  const expectNodeInView = (when) => expect(async () => {
    const [box, room, dock] = await Promise.all([frame, picture, page.locator(".room")].map((what) => what.boundingBox()));
    expect(box.y >= room.y - 1 && box.y + box.height <= Math.min(room.y + room.height, dock.y) + 1, `${when}: ${box.y} in ${room.y} to ${room.y + room.height}`).toBeTruthy();
  }).toPass();
  await chooseFromMore(page, "Find pods and nodes");
  const field = page.locator(".find input");
  for (const name of ["d-240", "a-7"]) {
    await field.fill(name);
    await expect(page.getByText(/^0 pods, \d+ nodes?$/)).toBeVisible();
    await expectNodeInView(`typed ${name}`);
    expect(await card.innerText(), "its card").toBe(name);
  }
  await field.fill("d-23");
  await field.press("Enter");
  await field.press("Enter");
  await expectNodeInView("gone to");
  expect(await card.innerText(), "the next one's card").toBe("d-230");
  await t.checkLooks(page, "find-thousand");
  await field.press("Escape");
  await picture.focus();
  const { y: before } = await frame.boundingBox();
  for (let i = 0; i < 30; i += 1) await page.keyboard.press("ArrowUp");
  await expectNodeInView("arrows up");
  expect((await frame.boundingBox()).y, "far from where it was").toBeLessThan(before - 200);
  for (let i = 0; i < 30; i += 1) await page.keyboard.press("ArrowDown");
  await expectNodeInView("arrows down");
  await expect(page.locator(".overview [role=status]").getByText(/^Node [a-d]-\d+, ready, 0 pods/)).toBeVisible();
});

// Shows: U-14
test("pending pods with the same cause share one line", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "crowd.yaml": MANY_PENDING_PODS });
  await t.seek(page, "0:10.0");
  await t.unfoldPending(page);
  const line = page.locator('.tray [data-cause="Insufficient cpu"]');
  await expect(line.getByText("12 pods: Insufficient cpu")).toBeVisible();
  await expect(page.locator(".tray").getByText("3 pods: held by a scheduling gate")).toBeVisible();
  await page.locator("#stage").focus();
  await page.keyboard.press("/");
  await page.locator(".find input").fill("team=h");
  await expect(line.locator(".pod:not(.out)"), "the tray dims as well").toHaveCount(0);
  await expect(page.locator(".tray .pod:not(.out)"), "what is found does not").toHaveCount(3);
  await page.locator(".find input").fill("big-11");
  await expect(line.getByText("1 of 12 pods: Insufficient cpu")).toBeVisible();
  await expect(line.locator(".pod").first(), "what is looked for stands first").toHaveAttribute("data-pod", "default/big-11");
  await page.locator(".find input").fill("team=h");
  await t.checkLooks(page, "find-tray");
  await t.expectNoOverflow(page, "tray");
  await t.resize(page, 390, 844);
  await t.expectNoOverflow(page, "tray on a phone");
  await t.checkLooks(page, "find-tray-phone");
});
