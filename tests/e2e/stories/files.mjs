// Opening and saving files, invalid files, undo, two runs side by side, the browser's storage.
// Shows: P-04
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";
import { ROOT } from "../tools.mjs";

const INVALID_POD = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: c, image: "nginx", resources: {requests: {cpu: lots}}}
  - {name: c, image: "nginx"}
`;

const scenarioWithCommand = (name, command) => `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: ${name}}
spec:
  title: ${name}
  seed: 9
  cluster: {zones: [a], nodesPerZone: 2}
  timeline:
  - {at: 5s, run: "${command}"}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {nodeName: a-1, containers: [{name: c, image: "app:1"}]}
`;

// Shows: U-07
test("invalid YAML is marked at the position of the error", async ({ t }) => {
  const page = await t.open("");
  await chooseFromMore(page, "Editor");
  const editor = page.getByRole("dialog", { name: "Editor" });
  await t.replaceText(editor, INVALID_POD);
  const problems = editor.locator(".problems li");
  await expect(problems.first()).toBeVisible();
  await expect(editor.getByText(/quantities must match|unable to parse quantity|cpu/).first()).toBeVisible();
  expect((await problems.first().locator(".where").innerText()).startsWith("6:"), "line and column").toBeTruthy();
  expect(await editor.locator(".cm-lint-marker, .cm-lintRange").count(), "marked in the text").toBeGreaterThan(0);
  await expect(editor.getByRole("button", { name: "Apply to the running cluster" }), "invalid YAML cannot be applied").toBeDisabled();
  await t.checkLooks(page, "bad-yaml");
  await t.replaceText(editor, "kind: Pod\n  bad: [indent\n");
  await page.waitForFunction(() => document.querySelectorAll(".editor .problems li").length === 1);
  await t.replaceText(editor, "apiVersion: v1\nkind: Namespace\nmetadata: {name: fine}\n");
  await expect(editor.getByText("No problems.")).toBeVisible();
  // The first Escape closes the list of completions, if it is open.
  await page.keyboard.press("Escape");
  if (await editor.isVisible()) await page.keyboard.press("Escape");

  // The same text in a file is refused with file name and position, and nothing else changes.
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles({ name: "bad.yaml", mimeType: "text/plain", buffer: Buffer.from(INVALID_POD) });
  await expect(page.getByRole("dialog", { name: "This cannot be opened" }).getByText(/bad\.yaml:6:/).first()).toBeVisible();
  await t.checkLooks(page, "refused-file");
  await page.keyboard.press("Escape");
  await expect(page.locator("[data-node]"), "the running cluster is unchanged").toHaveCount(6);
});

// PowerShell writes redirected output as UTF-16. An image may be chosen by mistake.
// Shows: P-13
test("a UTF-16 file opens, and a file that is not text is refused", async ({ t }) => {
  const page = await t.open("#new");
  const chooseFile = async (name, buffer) => {
    await chooseFromMore(page, "Files");
    await page.locator(".files input[type=file]").first().setInputFiles({ name, mimeType: "text/plain", buffer });
  };
  await chooseFile("picture.yaml", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff, 0xfe, 0xff]));
  await expect(page.locator(".toast", { hasText: /picture\.yaml:\d:1: the file is neither UTF-8 nor UTF-16 text/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await chooseFile("powershell.yaml", Buffer.from(`\ufeff${scenarioWithCommand("powershell", "fault partition a-1")}`, "utf16le"));
  await expect(page.locator("[data-node]")).toHaveCount(2);
});

// Shows: T-05
// Shows: P-15
test("an audit log opens as a timeline, and its gaps are listed", async ({ t }) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "audit.log": readFileSync(join(ROOT, "tests/histories/audit.log"), "utf8") });
  await expect(page.locator(".bar .scenario")).toHaveText(/Recorded history: audit\.log/);
  await expect(page.getByRole("region", { name: "About what was opened" }).getByText(/is not replayed, because/).first()).toBeVisible();
  await chooseFromMore(page, "About what was opened");
  const notices = page.getByRole("dialog", { name: "About what was opened" });
  await expect(notices.getByText("The history has no Nodes, so the nodes are generated")).toBeVisible();
  await t.checkLooks(page, "history");
});

test("a session can be saved and opened, and its last command can be undone", async ({ t }) => {
  const page = await t.open("");
  await t.seek(page, "0:20.0");
  await t.command(page, "kubectl cordon a-1");
  const cordonedMark = (where) => where.locator('[data-node="a-1"]').getByText("cordoned", { exact: true });
  await expect(cordonedMark(page)).toBeVisible();
  await chooseFromMore(page, "Files");
  const file = await t.download(page, () => page.getByRole("button", { name: /^Session/ }).click());
  expect(file.name).toBe("scenario.yaml");
  expect(file.bytes.toString(), "the file contains the command").toContain("kubectl cordon a-1");
  await page.keyboard.press("Escape");
  await page.keyboard.press("u");
  await expect(cordonedMark(page)).toHaveCount(0);

  const other = await t.open("");
  await t.openFiles(other, { "saved.yaml": file.bytes.toString() });
  await t.seek(other, "0:21.0");
  await expect(cordonedMark(other)).toBeVisible();
});

// Shows: T-06
test("objects, trace, SVG drawing and PNG picture can be downloaded", async ({ t }) => {
  const page = await t.open("");
  await t.seek(page, "0:15.0");
  await chooseFromMore(page, "Files");
  await t.checkLooks(page, "files");
  const saveAs = (name) => t.download(page, () => page.locator(".files").getByRole("button", { name }).click());
  const objects = await saveAs(/^Objects/);
  expect(objects.bytes.toString(), "the objects form a List").toMatch(/^apiVersion: v1\nitems:|^apiVersion: v1\nkind: List/);
  expect(objects.bytes.toString(), "the List contains all kinds").toContain("kind: StatefulSet");
  const trace = (await saveAs(/^Trace/)).bytes.toString().trimEnd().split("\n").map(JSON.parse);
  expect(trace.some((r) => r.what === "Bound") && trace.every((r) => typeof r.t === "number"), "the trace is JSON Lines").toBeTruthy();
  const drawing = await saveAs(/^Drawing/);
  expect(drawing.name).toBe("cluster.svg");
  expect(drawing.bytes.toString().startsWith("<svg ") && drawing.bytes.includes("a-1"), "SVG").toBeTruthy();
  const picture = await saveAs(/^Picture/);
  expect(picture.name).toBe("cluster.png");
  expect(picture.bytes.subarray(1, 4).toString(), "PNG").toBe("PNG");
  expect(picture.bytes.readUInt32BE(16) >= 1200 && picture.bytes.length > 8_000, "the picture is large enough and not empty").toBeTruthy();
  t.saveBytes("exported.png", picture.bytes);
});

// Shows: T-04
test("two runs with the same seed are compared side by side", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "wait.yaml": scenarioWithCommand("Wait", "kubectl get pods") });
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").nth(1).setInputFiles({ name: "force.yaml", mimeType: "text/plain", buffer: Buffer.from(scenarioWithCommand("Power off", "fault poweroff a-1")) });
  const secondRun = page.locator(".runs .run").nth(1);
  await expect(secondRun).toBeVisible();
  await t.seek(page, "0:10.0");
  await expect(secondRun.locator('.node.dark[data-node="a-1"]')).toBeVisible();
  await expect(page.locator(".runs .run").first().locator(".node.dark"), "the first run is unchanged").toHaveCount(0);
  await expect(page.locator(".versus").first().getByText("Wait")).toBeVisible();
  await expect(page.locator(".versus").nth(1).getByText("Power off")).toBeVisible();
  // The page shows the first difference with its instant; a click seeks to the instant.
  const difference = page.getByRole("region", { name: "What differs" });
  await expect(difference.getByText(/First difference at 0:05\.0/)).toBeVisible();
  await expect(difference.getByText(/1 pod differs now/)).toBeVisible();
  await expect(page.locator(".runs .pod.differs"), "the pod is outlined in both runs").toHaveCount(2);
  await t.checkLooks(page, "two-runs");
  // A click moves to the pod that differs. On a phone too, the two runs are side by side, and their rows are aligned.
  await t.resize(page, 390, 844);
  await difference.getByRole("button", { name: "1 pod differs now" }).click();
  expect(await page.locator(".runs .pod.differs").first().evaluate((pod) => pod === document.activeElement), "the differing pod has the focus").toBeTruthy();
  const [ours, theirs] = await page.locator(".runs .pod.differs").evaluateAll((pods) => pods.map((pod) => pod.getBoundingClientRect().toJSON()));
  expect(ours.top > 0 && ours.bottom < 844 && Math.abs(ours.top - theirs.top) < 44 && ours.right < theirs.left, `both pods are visible side by side: ${JSON.stringify([ours, theirs])}`).toBeTruthy();
  await t.checkLooks(page, "two-runs-phone");
  await t.resize(page, 1440, 900);
  await difference.getByRole("button", { name: "Go there" }).click();
  await expect(page.locator('.page[data-now="0:05.0"]')).toBeVisible();
  await page.getByRole("button", { name: "End the comparison" }).click();
  await expect(secondRun).toHaveCount(0);

  // The page offers a comparison of two reactions to a lost node: wait, or force delete.
  await chooseFromMore(page, "Files");
  await page.getByLabel("Two ways").selectOption({ label: "Wait, or force delete" });
  await expect(secondRun).toBeVisible();
  await t.seek(page, "2:00.0");
  await expect(secondRun.locator('[data-ghost="true"][data-pod="default/web-0"]')).toBeVisible();
  await expect(page.locator(".runs .run").first().locator('[data-ghost="true"]'), "waiting leaves one process").toHaveCount(0);
  await t.checkLooks(page, "wait-or-force");
});

// Shows: T-04, U-16
test("a run can be compared with the same run without commands", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault poweroff c-2");
  await t.seek(page, "1:30.0");
  const branches = page.getByRole("group", { name: "Branches" });
  await branches.getByRole("button", { name: "Compare with no commands" }).click();
  const difference = page.getByRole("region", { name: "What differs" });
  await expect(difference.getByText(/First difference at 0:20\.\d: .*c-2/)).toBeVisible();
  await expect(page.locator(".pod.differs").first()).toBeVisible();
  // A node is drawn at the same height in both runs.
  for (const node of ["a-1", "b-1"]) {
    const [one, other] = await page.locator(`[data-node="${node}"]`).evaluateAll((all) => all.map((e) => e.getBoundingClientRect().top));
    expect(Math.abs(one - other), `${node} at ${one} and ${other}`).toBeLessThanOrEqual(1);
  }
  await t.checkLooks(page, "compared");
  await page.getByRole("button", { name: "End the comparison" }).click();
  await expect(page.locator(".runs")).toHaveCount(0);
});

// Shows: T-05
test("a session too large for the browser's storage is reported", async ({ t }) => {
  const page = await t.open("", {
    before: (page) => page.addInitScript(() => {
      const originalSetItem = Storage.prototype.setItem;
      Storage.prototype.setItem = function setItem(key, value) {
        if (key.includes("/session.")) throw new DOMException("full", "QuotaExceededError");
        return originalSetItem.call(this, key, value);
      };
    }),
  });
  await t.command(page, "fault poweroff c-2");
  await expect(page.locator(".toast").getByText(/This browser keeps no more/)).toBeVisible();
  await t.expectAccessible(page);
});

// Shows: Q-03
test("a crash of the engine does not lose the session", async ({ t }) => {
  const page = await t.open("", {
    before: (page) => page.addInitScript(() => {
      const OriginalWorker = Worker;
      window.Worker = class extends OriginalWorker {
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
  expect((await t.now(page)).startsWith("0:20."), "the session continues at the same instant").toBeTruthy();
});
