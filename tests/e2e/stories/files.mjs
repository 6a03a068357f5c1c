// Files in and out, bad ones, undo, two runs side by side, what the browser keeps.
// Shows: P-04
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const BAD = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: c, image: "nginx", resources: {requests: {cpu: lots}}}
  - {name: c, image: "nginx"}
`;

const run = (name, last) => `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: ${name}}
spec:
  title: ${name}
  seed: 9
  cluster: {zones: [a], nodesPerZone: 2}
  timeline:
  - {at: 5s, run: "${last}"}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {nodeName: a-1, containers: [{name: c, image: "app:1"}]}
`;

// Shows: U-07
test("bad YAML is shown where it is bad", async ({ t }) => {
  const page = await t.open("");
  await chooseFromMore(page, "Editor");
  const editor = page.getByRole("dialog", { name: "Editor" });
  await t.replaceText(editor, BAD);
  const found = editor.locator(".problems li");
  await expect(found.first()).toBeVisible();
  await expect(editor.getByText(/quantities must match|unable to parse quantity|cpu/).first()).toBeVisible();
  expect((await found.first().locator(".where").innerText()).startsWith("6:"), "line and column").toBeTruthy();
  expect(await editor.locator(".cm-lint-marker, .cm-lintRange").count(), "marked in the text").toBeGreaterThan(0);
  await expect(editor.getByRole("button", { name: "Apply to the running cluster" }), "it cannot be applied").toBeDisabled();
  await t.checkLooks(page, "bad-yaml");
  await t.replaceText(editor, "kind: Pod\n  bad: [indent\n");
  await page.waitForFunction(() => document.querySelectorAll(".editor .problems li").length === 1);
  await t.replaceText(editor, "apiVersion: v1\nkind: Namespace\nmetadata: {name: fine}\n");
  await expect(editor.getByText("No problems.")).toBeVisible();
  // The first one closes the list of fields, if it is there.
  await page.keyboard.press("Escape");
  if (await editor.isVisible()) await page.keyboard.press("Escape");

  // The same as a file: refused with its name and place, and nothing else changes.
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles({ name: "bad.yaml", mimeType: "text/plain", buffer: Buffer.from(BAD) });
  await expect(page.getByRole("dialog", { name: "This cannot be opened" }).getByText(/bad\.yaml:6:/).first()).toBeVisible();
  await t.checkLooks(page, "refused-file");
  await page.keyboard.press("Escape");
  await expect(page.locator("[data-node]"), "the running cluster stays").toHaveCount(6);
});

// Shows: T-05
test("save, open, undo", async ({ t }) => {
  const page = await t.open("");
  await t.seek(page, "0:20.0");
  await t.command(page, "kubectl cordon a-1");
  const cordoned = (where) => where.locator('[data-node="a-1"]').getByText("cordoned", { exact: true });
  await expect(cordoned(page)).toBeVisible();
  await chooseFromMore(page, "Files");
  const file = await t.download(page, () => page.getByRole("button", { name: /^Session/ }).click());
  expect(file.name).toBe("scenario.yaml");
  expect(file.bytes.toString(), "the command is in it").toContain("kubectl cordon a-1");
  await page.keyboard.press("Escape");
  await page.keyboard.press("u");
  await expect(cordoned(page)).toHaveCount(0);

  const other = await t.open("");
  await t.openFiles(other, { "saved.yaml": file.bytes.toString() });
  await t.seek(other, "0:21.0");
  await expect(cordoned(other)).toBeVisible();
});

// Shows: T-06
test("objects, trace, drawing and picture can be taken away", async ({ t }) => {
  const page = await t.open("");
  await t.seek(page, "0:15.0");
  await chooseFromMore(page, "Files");
  await t.checkLooks(page, "files");
  const take = (name) => t.download(page, () => page.locator(".files").getByRole("button", { name }).click());
  const objects = await take(/^Objects/);
  expect(objects.bytes.toString(), "a List").toMatch(/^apiVersion: v1\nitems:|^apiVersion: v1\nkind: List/);
  expect(objects.bytes.toString(), "with everything in it").toContain("kind: StatefulSet");
  const trace = (await take(/^Trace/)).bytes.toString().trimEnd().split("\n").map(JSON.parse);
  expect(trace.some((r) => r.what === "Bound") && trace.every((r) => typeof r.t === "number"), "JSON Lines").toBeTruthy();
  const drawing = await take(/^Drawing/);
  expect(drawing.name).toBe("cluster.svg");
  expect(drawing.bytes.toString().startsWith("<svg ") && drawing.bytes.includes("a-1"), "SVG").toBeTruthy();
  const picture = await take(/^Picture/);
  expect(picture.name).toBe("cluster.png");
  expect(picture.bytes.subarray(1, 4).toString(), "PNG").toBe("PNG");
  expect(picture.bytes.readUInt32BE(16) >= 1200 && picture.bytes.length > 8_000, "of a useful size, with something on it").toBeTruthy();
  t.saveBytes("exported.png", picture.bytes);
});

// Shows: T-04
test("two runs side by side on one seed", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "wait.yaml": run("Wait", "kubectl get pods") });
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").nth(1).setInputFiles({ name: "force.yaml", mimeType: "text/plain", buffer: Buffer.from(run("Power off", "fault poweroff a-1")) });
  const other = page.locator(".runs .run").nth(1);
  await expect(other).toBeVisible();
  await t.seek(page, "0:10.0");
  await expect(other.locator('.node.dark[data-node="a-1"]')).toBeVisible();
  await expect(page.locator(".runs .run").first().locator(".node.dark"), "the first is as it was").toHaveCount(0);
  await expect(page.locator(".versus").first().getByText("Wait")).toBeVisible();
  await expect(page.locator(".versus").nth(1).getByText("Power off")).toBeVisible();
  // Where they part, said with its instant; a press goes there.
  const difference = page.getByRole("region", { name: "What differs" });
  await expect(difference.getByText(/First difference at 0:05\.0/)).toBeVisible();
  await expect(difference.getByText(/1 pod differs now/)).toBeVisible();
  await expect(page.locator(".runs .pod.differs"), "the pod is outlined in both").toHaveCount(2);
  await t.checkLooks(page, "two-runs");
  // A press goes to what differs; on a phone too the runs stand side by side, in the rows that they share.
  await t.resize(page, 390, 844);
  await difference.getByRole("button", { name: "1 pod differs now" }).click();
  expect(await page.locator(".runs .pod.differs").first().evaluate((pod) => pod === document.activeElement), "it has the focus").toBeTruthy();
  const [ours, theirs] = await page.locator(".runs .pod.differs").evaluateAll((pods) => pods.map((pod) => pod.getBoundingClientRect().toJSON()));
  expect(ours.top > 0 && ours.bottom < 844 && Math.abs(ours.top - theirs.top) < 44 && ours.right < theirs.left, `both are in sight, side by side: ${JSON.stringify([ours, theirs])}`).toBeTruthy();
  await t.checkLooks(page, "two-runs-phone");
  await t.resize(page, 1440, 900);
  await difference.getByRole("button", { name: "Go there" }).click();
  await expect(page.locator('.page[data-now="0:05.0"]')).toBeVisible();
  await page.getByRole("button", { name: "End the comparison" }).click();
  await expect(other).toHaveCount(0);

  // Ready-made: what somebody does about a lost node.
  await chooseFromMore(page, "Files");
  await page.getByLabel("Two ways").selectOption({ label: "Wait, or force delete" });
  await expect(other).toBeVisible();
  await t.seek(page, "2:00.0");
  await expect(other.locator('[data-ghost="true"][data-pod="default/web-0"]')).toBeVisible();
  await expect(page.locator(".runs .run").first().locator('[data-ghost="true"]'), "waiting keeps one").toHaveCount(0);
  await t.checkLooks(page, "wait-or-force");
});

// Shows: T-04, U-16
test("the timeline compares with what would have been", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault poweroff c-2");
  await t.seek(page, "1:30.0");
  const branches = page.getByRole("group", { name: "Branches" });
  await branches.getByRole("button", { name: "Compare with no commands" }).click();
  const difference = page.getByRole("region", { name: "What differs" });
  await expect(difference.getByText(/First difference at 0:20\.\d: .*c-2/)).toBeVisible();
  await expect(page.locator(".pod.differs").first()).toBeVisible();
  // The same node lies at the same height in both.
  for (const node of ["a-1", "b-1"]) {
    const [one, other] = await page.locator(`[data-node="${node}"]`).evaluateAll((all) => all.map((e) => e.getBoundingClientRect().top));
    expect(Math.abs(one - other), `${node} at ${one} and ${other}`).toBeLessThanOrEqual(1);
  }
  await t.checkLooks(page, "compared");
  await branches.getByRole("button", { name: "End comparing" }).click();
  await expect(page.locator(".runs")).toHaveCount(0);
});

// Shows: T-05
test("a session too big for the browser's storage is said to be", async ({ t }) => {
  const page = await t.open("", {
    before: (page) => page.addInitScript(() => {
      const real = Storage.prototype.setItem;
      Storage.prototype.setItem = function setItem(key, value) {
        if (key.includes("/session.")) throw new DOMException("full", "QuotaExceededError");
        return real.call(this, key, value);
      };
    }),
  });
  await t.command(page, "fault poweroff c-2");
  await expect(page.locator(".toast").getByText(/This browser keeps no more/)).toBeVisible();
  await t.expectAccessible(page);
});

// Shows: Q-03
test("a crash of the engine loses nothing", async ({ t }) => {
  const page = await t.open("", {
    before: (page) => page.addInitScript(() => {
      const Real = Worker;
      window.Worker = class extends Real {
        constructor(...args) { super(...args); window.engine = this; }
      };
    }),
  });
  await t.seek(page, "0:20.0");
  await t.command(page, "fault poweroff c-2");
  await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  await t.waitUntilSaved(page);
  await page.evaluate(() => window.engine.dispatchEvent(new ErrorEvent("error", { message: "unreachable executed" })));
  const dialog = page.getByRole("dialog", { name: "The engine stopped" });
  await expect(dialog.getByText("unreachable executed")).toBeVisible();
  await t.checkLooks(page, "crash");
  await Promise.all([page.waitForEvent("load"), dialog.getByRole("button", { name: "Go on with the saved session" }).click()]);
  await t.waitUntilReady(page);
  await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  expect((await t.now(page)).startsWith("0:20."), "at the same instant").toBeTruthy();
});
