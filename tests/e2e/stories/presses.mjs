// A click, a paste or a reload has a visible effect: no dead buttons, no step back in time, no lost data.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

/** Pastes a text into the console's field. */
const paste = async (page, text) => {
  await page.getByLabel("Command", { exact: true }).focus();
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
};

/** Converts a clock text such as 1:25.0 to seconds. */
const secondsOfClock = (now) => now.split(":").reduce((sum, part) => sum * 60 + parseFloat(part), 0);

// Shows: K-01
test("pasted lines run in order; a here-document is one entry in the log and in the history", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  const field = page.getByLabel("Command", { exact: true });
  const log = page.locator(".con .log");
  await paste(page, "kubectl run r2 --image=nginx\nkubectl get pod r2\nkubectl scale deploy web --replicas=2\nkubectl get deploy web\nkubectl get pods -w\nkubectl get ns");
  await field.press("Enter");
  await expect(log.getByText(/Waiting until `kubectl get pods -w` ends: kubectl get ns\./)).toBeVisible();
  const output = await log.innerText();
  expect(output, output).not.toContain("not found");
  expect(output, `the new replica count: ${output}`).toMatch(/web\s+\d\/2/);
  await t.checkLooks(page, "console-waits");
  await field.press("Control+c");
  await expect(log.getByText("not run: kubectl get ns")).toBeVisible();
  // Ctrl+C discards an open here-document, and the next line is a command again.
  await field.fill("kubectl apply -f - <<EOF");
  await field.press("Enter");
  await expect(page.locator(".con .block")).toBeVisible();
  await field.press("Control+c");
  await expect(page.locator(".con .block")).toHaveCount(0);
  await field.fill("kubectl get nodes");
  await field.press("Enter");
  await expect(log.getByText("c-2").first()).toBeVisible();
  // A half-typed command survives browsing the history.
  await field.fill("kubectl get de");
  await field.press("Escape");
  await field.press("ArrowUp");
  await expect(field, "the history shows the last command").toHaveValue("kubectl get nodes");
  await field.press("ArrowDown");
  await expect(field, "the half-typed command is restored").toHaveValue("kubectl get de");
  await field.fill("");
  await paste(page, "kubectl apply -f - <<EOF\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\nEOF");
  await field.press("Enter");
  const block = log.locator("details");
  await expect(block.getByText("5 lines")).toBeVisible();
  await expect(block.getByText("kind: ConfigMap"), "the here-document is folded").not.toBeVisible();
  await field.press("ArrowUp");
  await expect(page.locator(".con .block").getByText("kind: ConfigMap")).toBeVisible();
});

// Shows: T-01, T-04, T-05
test("all branches and the button to compare them survive a reload", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.command(page, "fault poweroff c-2");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault partition a-1");
  const branches = page.getByRole("group", { name: "Branches" });
  const firstBranch = branches.getByRole("button", { name: "fault poweroff c-2", exact: true });
  await expect(firstBranch).toBeVisible();
  await t.waitUntilSaved(page);
  await page.reload();
  await t.waitUntilReady(page);
  await expect(branches.getByRole("button", { name: "Compare with no commands" })).toBeVisible();
  await expect(branches.locator("[aria-pressed]"), "both branches are restored").toHaveCount(2);
  await firstBranch.click();
  await t.seek(page, "0:40.0");
  await expect(page.locator('[data-node="c-2"]').getByText(/off/i).first()).toBeVisible();
});

// Shows: E-07
test("the button 'Show me' runs to the solution's next command and never goes back in time", async ({ t }) => {
  const page = await t.open("#lesson=partition-statefulset", { before: (page) => page.clock.install() });
  await t.pause(page);
  await page.getByRole("button", { name: "Skip to the story" }).click();
  const showMe = page.getByRole("button", { name: "Show me" });
  await showMe.click();
  await expect(page.locator(".ended").getByText("Showing: fault partition a-1 at 0:30")).toBeVisible();
  await expect(page.locator('[data-node="a-1"]').getByText(/cut off/i).first()).toBeVisible();
  const before = secondsOfClock(await t.now(page));
  // Two clicks in quick succession count as one, so let half a second pass.
  await page.clock.fastForward(500);
  await showMe.click();
  await page.waitForFunction((at) => {
    const [m, s] = document.querySelector(".page").dataset.now.split(":").map(Number);
    return m * 60 + s > at + 20;
  }, before);
});

// Shows: U-10
test("'Cut a node off' on a first visit brings the node into view", async ({ t }) => {
  for (const size of ["phone", "desktop"]) {
    const page = await t.open("", { size });
    const story = page.getByRole("region", { name: "Story" });
    await page.getByRole("button", { name: "Cut a node off" }).click();
    await expect(story.getByText(/c-2 is cut off: its pods run on there/)).toBeVisible();
    await expect(page.locator(".start"), "the card with the choices is closed").toHaveCount(0);
    // The node is visible and not covered.
    await page.waitForFunction(() => {
      const node = document.querySelector('[data-node="c-2"]');
      const { top, bottom, left, width } = node.getBoundingClientRect();
      const topmost = document.elementFromPoint(left + width / 2, Math.min(bottom, innerHeight) - 30);
      return top >= 0 && top < innerHeight && node.contains(topmost);
    });
    await t.checkLooks(page, `first-press-${size}`);
    await t.pause(page);
  }
});

// Shows: E-05
test("one click skips to the start of a story that begins late", async ({ t }) => {
  const page = await t.open("#lesson=force-delete-split-brain");
  await t.pause(page);
  await page.getByRole("button", { name: "Skip to the story" }).click();
  const story = page.getByRole("complementary", { name: "Story" });
  await expect(story.getByText("The story begins when this has happened:")).toHaveCount(0);
  expect(secondsOfClock(await t.now(page)), "time has advanced to the story").toBeGreaterThanOrEqual(60);
});

// Shows: U-05
test("the button 'Next event' names the event, and 'Next decision' stops at an earlier node failure", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:40.0");
  await t.command(page, "fault partition c-2");
  await t.seek(page, "0:50.0");
  const output = page.locator(".ended");
  await chooseFromMore(page, "Next decision");
  await expect(output.getByText("c-2 became NotReady, before any decision")).toBeVisible();
  await chooseFromMore(page, "Next event");
  await expect(output.getByText(/: \w+/)).toBeVisible();
  await chooseFromMore(page, "Next decision");
  await expect(output.getByText(/the story goes on|before any decision|made a decision/)).toBeVisible();
});

// Shows: U-09, U-16
test("an invalid address is reported and removed; presentation mode survives a reload", async ({ t }) => {
  for (const bad of ["#garbage", "#lesson="]) {
    const page = await t.open(bad);
    await expect(page.getByRole("dialog").getByText(/not a link|no lesson/).first()).toBeVisible();
    expect(page.url().endsWith(bad), `${page.url()} stays`).toBeFalsy();
  }
  const page = await t.open("#new");
  await t.seek(page, "0:10.0");
  await page.locator("#stage").focus();
  await page.keyboard.press("Shift+P");
  await expect(page.locator(".page.present")).toBeVisible();
  await t.waitUntilSaved(page);
  await page.reload();
  await t.waitUntilReady(page);
  await expect(page.locator(".page.present")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator(".page.present")).toHaveCount(0);
  await page.reload();
  await t.waitUntilReady(page);
  await t.waitUntilSettled(page);
  await expect(page.locator(".page.present"), "presenting has ended").toHaveCount(0);
});

// Shows: T-04, U-16
test("compared runs are labelled, and their rows stay aligned with many pending pods", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.command(page, "kubectl scale deployment web --replicas=40");
  await t.seek(page, "1:00.0");
  await page.getByRole("button", { name: "Compare with no commands" }).click();
  await expect(page.getByText("without commands")).toBeVisible();
  for (const node of ["a-1", "a-2", "b-1", "c-2"]) {
    const [one, other] = await page.locator(`[data-node="${node}"]`).evaluateAll((all) => all.map((e) => e.getBoundingClientRect().top));
    expect(Math.abs(one - other), `${node} at ${one} and ${other}`).toBeLessThanOrEqual(1);
  }
  await t.checkLooks(page, "compared-rows");
});

// Shows: U-07
test("the editor shows validation errors and the server's refusal of a manifest", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  await chooseFromMore(page, "Editor");
  await page.getByRole("dialog", { name: "Editor" }).getByRole("button", { name: "Beside the cluster" }).click();
  const editor = page.getByRole("complementary", { name: "Editor beside the cluster" });
  await t.replaceText(editor, "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: x}\nspec: {}\n");
  await expect(editor.getByText('no matches for kind "PodDisruptionBudget"').first()).toBeVisible();
  await expect(editor.getByRole("button", { name: "Apply", exact: true }), "an unknown kind cannot be applied").toBeDisabled();
  await t.replaceText(editor, "");
  await expect(editor.getByText("Nothing to apply yet")).toBeVisible();
  await expect(editor.getByRole("button", { name: "Apply", exact: true }), "an empty text cannot be applied").toBeDisabled();
  await editor.getByLabel("Apply as I type").check();
  await t.replaceText(editor, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: nowhere}\n");
  await expect(editor.getByText(/namespaces? "nowhere" not found/)).toBeVisible();
  await expect(editor.getByText("No problems."), "a refused manifest is not reported as fine").toHaveCount(0);
  await t.checkLooks(page, "editor-refused");
});
