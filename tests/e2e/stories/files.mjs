// Files in and out, bad ones, undo, two runs side by side, what the browser keeps. T-04, T-05,
// T-06, P-04, U-07.

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

export const stories = {
  async "bad YAML is shown where it is bad (U-07)"(t) {
    const page = await t.open("");
    await page.getByRole("button", { name: "Editor" }).click();
    const editor = page.getByRole("dialog", { name: "Editor" });
    await t.write(editor, BAD);
    const found = editor.locator(".problems li");
    await found.first().waitFor();
    await editor.getByText(/quantities must match|unable to parse quantity|cpu/).first().waitFor();
    t.check((await found.first().locator(".where").innerText()).startsWith("6:"), "line and column");
    t.check(await editor.locator(".cm-lint-marker, .cm-lintRange").count() > 0, "marked in the text");
    t.check(await editor.getByRole("button", { name: "Apply to the running cluster" }).isDisabled(), "it cannot be applied");
    await t.look(page, "bad-yaml");
    await t.write(editor, "kind: Pod\n  bad: [indent\n");
    await page.waitForFunction(() => document.querySelectorAll(".editor .problems li").length === 1);
    await t.write(editor, "apiVersion: v1\nkind: Namespace\nmetadata: {name: fine}\n");
    await editor.getByText("No problems.").waitFor();
    // The first one closes the list of fields, if it is there.
    await page.keyboard.press("Escape");
    if (await editor.isVisible()) await page.keyboard.press("Escape");

    // The same as a file: refused with its name and place, and nothing else changes.
    await page.getByRole("button", { name: "Files" }).click();
    await page.locator(".files input[type=file]").first().setInputFiles({ name: "bad.yaml", mimeType: "text/plain", buffer: Buffer.from(BAD) });
    await page.getByRole("dialog", { name: "This cannot be opened" }).getByText(/bad\.yaml:6:/).first().waitFor();
    await t.look(page, "refused-file");
    await page.keyboard.press("Escape");
    t.equal(await page.locator("[data-node]").count(), 6, "the running cluster stays");
  },

  async "save, open, undo (T-05)"(t) {
    const page = await t.open("");
    await t.seek(page, "0:20.0");
    await t.command(page, "kubectl cordon a-1");
    const cordoned = (where) => where.locator('[data-node="a-1"]').getByText("cordoned", { exact: true });
    await cordoned(page).waitFor();
    await page.getByRole("button", { name: "Files" }).click();
    const file = await t.download(page, () => page.getByRole("button", { name: /^Session/ }).click());
    t.equal(file.name, "scenario.yaml");
    t.check(file.bytes.toString().includes("kubectl cordon a-1"), "the command is in it");
    await page.keyboard.press("Escape");
    await page.keyboard.press("u");
    await cordoned(page).waitFor({ state: "detached" });

    const other = await t.open("");
    await t.openFiles(other, { "saved.yaml": file.bytes.toString() });
    await t.seek(other, "0:21.0");
    await cordoned(other).waitFor();
  },

  async "objects, trace, drawing and picture can be taken away (T-06)"(t) {
    const page = await t.open("");
    await t.seek(page, "0:15.0");
    await page.getByRole("button", { name: "Files" }).click();
    await t.look(page, "files");
    const take = (name) => t.download(page, () => page.locator(".files").getByRole("button", { name }).click());
    const objects = await take(/^Objects/);
    t.check(/^apiVersion: v1\nitems:|^apiVersion: v1\nkind: List/.test(objects.bytes.toString()), "a List");
    t.check(objects.bytes.toString().includes("kind: StatefulSet"), "with everything in it");
    const trace = (await take(/^Trace/)).bytes.toString().trimEnd().split("\n").map(JSON.parse);
    t.check(trace.some((r) => r.what === "Bound") && trace.every((r) => typeof r.t === "number"), "JSON Lines");
    const drawing = await take(/^Drawing/);
    t.equal(drawing.name, "cluster.svg");
    t.check(drawing.bytes.toString().startsWith("<svg ") && drawing.bytes.includes("a-1"), "SVG");
    const picture = await take(/^Picture/);
    t.equal(picture.name, "cluster.png");
    t.equal(picture.bytes.subarray(1, 4).toString(), "PNG", "PNG");
    t.check(picture.bytes.readUInt32BE(16) >= 1200 && picture.bytes.length > 8_000, "of a useful size, with something on it");
    t.keep("exported.png", picture.bytes);
  },

  async "two runs side by side on one seed (T-04)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "wait.yaml": run("Wait", "kubectl get pods") });
    await page.getByRole("button", { name: "Files" }).click();
    await page.locator(".files input[type=file]").nth(1).setInputFiles({ name: "force.yaml", mimeType: "text/plain", buffer: Buffer.from(run("Power off", "fault poweroff a-1")) });
    const other = page.locator(".runs .run").nth(1);
    await other.waitFor();
    await t.seek(page, "0:10.0");
    await other.locator('.node.dark[data-node="a-1"]').waitFor();
    t.equal(await page.locator(".runs .run").first().locator(".node.dark").count(), 0, "the first is as it was");
    await page.locator(".versus").first().getByText("Wait").waitFor();
    await page.locator(".versus").nth(1).getByText("Power off").waitFor();
    // Where they part, said with its instant; a press goes there.
    const difference = page.getByRole("region", { name: "What differs" });
    await difference.getByText(/First difference at 0:05\.0/).waitFor();
    await difference.getByText(/1 pod differs now/).waitFor();
    t.equal(await page.locator(".runs .pod.differs").count(), 2, "the pod is outlined in both");
    await t.look(page, "two-runs");
    // A press goes to what differs; on a phone too the runs stand side by side, in the rows that they share.
    await page.setViewportSize({ width: 390, height: 844 });
    await difference.getByRole("button", { name: "1 pod differs now" }).click();
    t.check(await page.locator(".runs .pod.differs").first().evaluate((pod) => pod === document.activeElement), "it has the focus");
    const [ours, theirs] = await page.locator(".runs .pod.differs").evaluateAll((pods) => pods.map((pod) => pod.getBoundingClientRect().toJSON()));
    t.check(ours.top > 0 && ours.bottom < 844 && Math.abs(ours.top - theirs.top) < 44 && ours.right < theirs.left, `both are in sight, side by side: ${JSON.stringify([ours, theirs])}`);
    await t.look(page, "two-runs-phone");
    await page.setViewportSize({ width: 1440, height: 900 });
    await difference.getByRole("button", { name: "Go there" }).click();
    await page.locator('.page[data-now="0:05.0"]').waitFor();
    await page.getByRole("button", { name: "End the comparison" }).click();
    await other.waitFor({ state: "detached" });

    // Ready-made: what somebody does about a lost node.
    await page.getByRole("button", { name: "Files" }).click();
    await page.getByLabel("Two ways").selectOption({ label: "Wait, or force delete" });
    await other.waitFor();
    await t.seek(page, "2:00.0");
    await other.locator('[data-ghost="true"][data-pod="default/web-0"]').waitFor();
    t.equal(await page.locator(".runs .run").first().locator('[data-ghost="true"]').count(), 0, "waiting keeps one");
    await t.look(page, "wait-or-force");
  },

  async "the timeline compares with what would have been (T-04, U-16)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:20.0");
    await t.command(page, "fault poweroff c-2");
    await t.seek(page, "1:30.0");
    const branches = page.getByRole("group", { name: "Branches" });
    await branches.getByRole("button", { name: "Compare with no commands" }).click();
    const difference = page.getByRole("region", { name: "What differs" });
    await difference.getByText(/First difference at 0:20\.\d: .*c-2/).waitFor();
    await page.locator(".pod.differs").first().waitFor();
    // The same node lies at the same height in both.
    for (const node of ["a-1", "b-1"]) {
      const [one, other] = await page.locator(`[data-node="${node}"]`).evaluateAll((all) => all.map((e) => e.getBoundingClientRect().top));
      t.check(Math.abs(one - other) <= 1, `${node} at ${one} and ${other}`);
    }
    await t.look(page, "compared");
    await branches.getByRole("button", { name: "End comparing" }).click();
    await page.locator(".runs").waitFor({ state: "detached" });
  },

  async "a session too big for the browser's storage is said to be (T-05)"(t) {
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
    await page.locator(".toast").getByText(/This browser keeps no more/).waitFor();
    await t.axe(page);
  },

  async "a crash of the engine loses nothing (Q-03)"(t) {
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
    await page.locator('.node.dark[data-node="c-2"]').waitFor();
    await t.kept(page);
    await page.evaluate(() => window.engine.dispatchEvent(new ErrorEvent("error", { message: "unreachable executed" })));
    const dialog = page.getByRole("dialog", { name: "The engine stopped" });
    await dialog.getByText("unreachable executed").waitFor();
    await t.look(page, "crash");
    await Promise.all([page.waitForEvent("load"), dialog.getByRole("button", { name: "Go on with the saved session" }).click()]);
    await t.ready(page);
    await page.locator('.node.dark[data-node="c-2"]').waitFor();
    t.check((await t.now(page)).startsWith("0:20."), "at the same instant");
  },
};
