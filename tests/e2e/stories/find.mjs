// Find anything: the filter dims what does not match, and pods with one trouble are one line. U-14.

const pod = (name, cpu, more = "") => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {team: ${name[0]}}}
spec: {${more}containers: [{name: c, image: app, resources: {requests: {cpu: "${cpu}"}}}]}
`;
const CROWD = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: crowd}
spec: {title: Crowd, seed: 3, cluster: {zones: [a, b], nodesPerZone: 2}}
${Array.from({ length: 12 }, (_, i) => pod(`big-${i}`, 40)).join("")}${
  Array.from({ length: 3 }, (_, i) => pod(`held-${i}`, 1, "schedulingGates: [{name: example.com/wait}], ")).join("")}${
  Array.from({ length: 4 }, (_, i) => pod(`small-${i}`, 1)).join("")}`;

const THOUSAND = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: thousand}
spec: {title: Thousand, seed: 3, cluster: {zones: [a, b, c, d], nodesPerZone: 250}}
`;

export const stories = {
  async "/ filters pods and nodes by name, label, state, owner, image and IP (U-14)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:30.0");
    const all = await page.locator(".node [data-pod]").count();
    await page.locator("#stage").focus();
    await page.keyboard.press("/");
    const field = page.locator(".find input");
    await field.fill("db-0");
    await page.getByText("1 pod, 0 nodes").waitFor();
    t.equal(await page.locator(".node .pod.out").count(), all - 1, "every other pod dims");
    t.equal(await page.locator(".node.out").count(), 5, "and the nodes without it");
    t.check(await page.locator(".lane .out").count() > 0, "and what the lanes say of others");
    await t.look(page, "find-pod");
    for (const [text, pods] of [["app=web", all - 1], ["deployment", all - 1], ["ready", all], ["c-2", 1], ["db:1", 1], ["10.", all], ["no-such-thing", 0]]) {
      await field.fill(text);
      await page.getByText(new RegExp(`^${pods} pods?, `)).waitFor();
    }
    // Enter goes from one to the next, Shift + Enter back.
    await field.fill("db");
    const side = page.locator(".side[data-subject]");
    await field.press("Enter");
    const first = await side.getAttribute("data-subject");
    t.check(first.includes("db"), first);
    await field.fill("web-");
    const seen = new Set();
    for (let i = 0; i < 3; i += 1) {
      await field.press("Enter");
      await page.waitForTimeout(200);
      seen.add(await page.locator("[data-node] .pod.sel").getAttribute("data-uid"));
    }
    t.equal(seen.size, 3, "each once");
    await field.press("Shift+Enter");
    await page.waitForTimeout(200);
    t.check(seen.has(await page.locator("[data-node] .pod.sel").getAttribute("data-uid")), "back to the one before");
    await field.press("Escape");
    await field.waitFor({ state: "detached" });
    t.equal(await page.locator(".out").count(), 0, "everything is there again");
  },

  async "on a phone what is found stays in view, and one press opens it (U-14, U-08)"(t) {
    const page = await t.open("#new", { size: "phone" });
    await t.seek(page, "0:30.0");
    await page.getByRole("button", { name: "Find pods and nodes" }).tap();
    const field = page.locator(".find input");
    await field.fill("db-0");
    await page.getByText("1 pod, 0 nodes").waitFor();
    t.equal(await page.locator(".story:visible, .node.out:visible").count(), 0, "nothing lies before what is found");
    const pod = page.locator('[data-node] [data-pod="default/db-0"]');
    const isSeen = async (when) => {
      const [box, dock] = [await pod.boundingBox(), await page.locator(".dock").boundingBox()];
      t.check(box && box.y > 0 && box.y + box.height < dock.y && !(await page.locator(".side").isVisible()), `${when}: ${box?.y}`);
    };
    await isSeen("typed");
    await field.press("Enter");
    await page.locator('[data-node] .pod.sel[data-pod="default/db-0"]').waitFor();
    await isSeen("gone to");
    await t.look(page, "find-phone");
    await pod.tap();
    await page.locator('.side[data-subject*="db-0"]').waitFor();
    await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Details" }).tap();
    await isSeen("back");
  },

  async "in the picture of a thousand nodes what is found, and where the arrows go, is in view and said (U-14, U-09, U-08)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "thousand.yaml": THOUSAND });
    await t.pause(page);
    await page.setViewportSize({ width: 390, height: 844 });
    const [picture, frame, card] = [page.locator(".picture"), page.locator(".picture i"), page.locator(".beside .node .name")];
    const isSeen = async (when) => {
      await page.waitForTimeout(300);
      const [box, room, dock] = await Promise.all([frame, picture, page.locator(".dock")].map((what) => what.boundingBox()));
      t.check(box.y >= room.y - 1 && box.y + box.height <= Math.min(room.y + room.height, dock.y) + 1, `${when}: ${box.y} in ${room.y} to ${room.y + room.height}`);
    };
    await page.getByRole("button", { name: "Find pods and nodes" }).click();
    const field = page.locator(".find input");
    for (const name of ["d-240", "a-7"]) {
      await field.fill(name);
      await page.getByText(/^0 pods, \d+ nodes?$/).waitFor();
      await isSeen(`typed ${name}`);
      t.equal(await card.innerText(), name, "its card");
    }
    await field.fill("d-23");
    await field.press("Enter");
    await field.press("Enter");
    await isSeen("gone to");
    t.equal(await card.innerText(), "d-230", "the next one's card");
    await t.look(page, "find-thousand");
    await field.press("Escape");
    await picture.focus();
    const before = await picture.evaluate((e) => e.scrollTop);
    for (let i = 0; i < 30; i += 1) await page.keyboard.press("ArrowUp");
    await isSeen("arrows up");
    t.check(await picture.evaluate((e) => e.scrollTop) < before - 200, "far from where it was");
    for (let i = 0; i < 30; i += 1) await page.keyboard.press("ArrowDown");
    await isSeen("arrows down");
    await page.locator(".overview [role=status]").getByText(/^Node [a-d]-\d+, ready, 0 pods/).waitFor();
  },

  async "pending pods with one trouble are one line (U-14)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "crowd.yaml": CROWD });
    await t.seek(page, "0:10.0");
    const line = page.locator('.tray [data-cause="Insufficient cpu"]');
    await line.getByText("12 pods: Insufficient cpu").waitFor();
    await page.locator(".tray").getByText("3 pods: held by a scheduling gate").waitFor();
    await page.locator("#stage").focus();
    await page.keyboard.press("/");
    await page.locator(".find input").fill("team=h");
    t.equal(await line.locator(".pod:not(.out)").count(), 0, "the tray dims as well");
    t.equal(await page.locator(".tray .pod:not(.out)").count(), 3, "what is found does not");
    await page.locator(".find input").fill("big-11");
    await line.getByText("1 of 12 pods: Insufficient cpu").waitFor();
    t.equal(await line.locator(".pod").first().getAttribute("data-pod"), "default/big-11", "what is looked for stands first");
    await page.locator(".find input").fill("team=h");
    await t.look(page, "find-tray");
    await t.fits(page, "tray");
    await page.setViewportSize({ width: 390, height: 844 });
    await t.fits(page, "tray on a phone");
    await t.look(page, "find-tray-phone");
  },
};
