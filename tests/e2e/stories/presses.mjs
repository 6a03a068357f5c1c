// What a press, a paste or a reload leads to is seen: nothing is dead, nothing goes back by itself, nothing is lost.
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

/** Seconds of a clock such as 1:25.0. */
const seconds = (now) => now.split(":").reduce((sum, part) => sum * 60 + parseFloat(part), 0);

// Shows: K-01
test("pasted lines wait for each other; a block is one line, in the log and in the history", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  const field = page.getByLabel("Command", { exact: true });
  const log = page.locator(".con .log");
  await paste(page, "kubectl run r2 --image=nginx\nkubectl get pod r2\nkubectl scale deploy web --replicas=2\nkubectl get deploy web\nkubectl get pods -w\nkubectl get ns");
  await field.press("Enter");
  await expect(log.getByText(/Waiting until `kubectl get pods -w` ends: kubectl get ns\./)).toBeVisible();
  const said = await log.innerText();
  expect(said, said).not.toContain("not found");
  expect(said, `the new count: ${said}`).toMatch(/web\s+\d\/2/);
  await t.checkLooks(page, "console-waits");
  await field.press("Control+c");
  await expect(log.getByText("not run: kubectl get ns")).toBeVisible();
  // An open document is dropped, and the next command is a command.
  await field.fill("kubectl apply -f - <<EOF");
  await field.press("Enter");
  await expect(page.locator(".con .block")).toBeVisible();
  await field.press("Control+c");
  await expect(page.locator(".con .block")).toHaveCount(0);
  await field.fill("kubectl get nodes");
  await field.press("Enter");
  await expect(log.getByText("c-2").first()).toBeVisible();
  // What is half typed outlives a look at the history.
  await field.fill("kubectl get de");
  await field.press("Escape");
  await field.press("ArrowUp");
  await expect(field, "the last command").toHaveValue("kubectl get nodes");
  await field.press("ArrowDown");
  await expect(field, "what was typed").toHaveValue("kubectl get de");
  await field.fill("");
  await paste(page, "kubectl apply -f - <<EOF\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\nEOF");
  await field.press("Enter");
  const block = log.locator("details");
  await expect(block.getByText("5 lines")).toBeVisible();
  await expect(block.getByText("kind: ConfigMap"), "it is folded").not.toBeVisible();
  await field.press("ArrowUp");
  await expect(page.locator(".con .block").getByText("kind: ConfigMap")).toBeVisible();
});

// Shows: T-01, T-04, T-05
test("other branches outlive a reload, as does the offer to compare", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.command(page, "fault poweroff c-2");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault partition a-1");
  const branches = page.getByRole("group", { name: "Branches" });
  const first = branches.getByRole("button", { name: "fault poweroff c-2", exact: true });
  await expect(first).toBeVisible();
  await t.waitUntilSaved(page);
  await page.reload();
  await t.waitUntilReady(page);
  await expect(branches.getByRole("button", { name: "Compare with no commands" })).toBeVisible();
  await expect(branches.locator("[aria-pressed]"), "both are there").toHaveCount(2);
  await first.click();
  await t.seek(page, "0:40.0");
  await expect(page.locator('[data-node="c-2"]').getByText(/off/i).first()).toBeVisible();
});

// Shows: E-07
test("Show me goes to the solution's next command, and pressed again never back", async ({ t }) => {
  const page = await t.open("#lesson=partition-statefulset", { before: (page) => page.clock.install() });
  await t.pause(page);
  await page.getByRole("button", { name: "Skip to the story" }).click();
  const show = page.getByRole("button", { name: "Show me" });
  await show.click();
  await expect(page.locator(".ended").getByText("Showing: fault partition a-1 at 0:30")).toBeVisible();
  await expect(page.locator('[data-node="a-1"]').getByText(/cut off/i).first()).toBeVisible();
  const before = seconds(await t.now(page));
  // Two presses within a moment are one that shook.
  await page.clock.fastForward(500);
  await show.click();
  await page.waitForFunction((at) => {
    const [m, s] = document.querySelector(".page").dataset.now.split(":").map(Number);
    return m * 60 + s > at + 20;
  }, before);
});

// Shows: U-10
test("the first visit's button shows what it did", async ({ t }) => {
  for (const size of ["phone", "desktop"]) {
    const page = await t.open("", { size });
    const story = page.getByRole("region", { name: "Story" });
    await page.getByRole("button", { name: "Cut a node off" }).click();
    await expect(story.getByText(/c-2 is cut off: its pods run on there/)).toBeVisible();
    await expect(page.locator(".start"), "the card with the ways in is folded").toHaveCount(0);
    // In sight, and nothing lies over it.
    await page.waitForFunction(() => {
      const node = document.querySelector('[data-node="c-2"]');
      const { top, bottom, left, width } = node.getBoundingClientRect();
      const at = document.elementFromPoint(left + width / 2, Math.min(bottom, innerHeight) - 30);
      return top >= 0 && top < innerHeight && node.contains(at);
    });
    await t.checkLooks(page, `first-press-${size}`);
    await t.pause(page);
  }
});

// Shows: E-05
test("a story that begins late is one press away", async ({ t }) => {
  const page = await t.open("#lesson=force-delete-split-brain");
  await t.pause(page);
  await page.getByRole("button", { name: "Skip to the story" }).click();
  const story = page.getByRole("complementary", { name: "Story" });
  await expect(story.getByText("The story begins when this has happened:")).toHaveCount(0);
  expect(seconds(await t.now(page)), "the clock ran there").toBeGreaterThanOrEqual(60);
});

// Shows: U-05
test("a step names its event, and a run to a decision stops at what comes before it", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:40.0");
  await t.command(page, "fault partition c-2");
  await t.seek(page, "0:50.0");
  const said = page.locator(".ended");
  await chooseFromMore(page, "Next decision");
  await expect(said.getByText("c-2 became NotReady, before any decision")).toBeVisible();
  await chooseFromMore(page, "Next event");
  await expect(said.getByText(/: \w+/)).toBeVisible();
  await chooseFromMore(page, "Next decision");
  await expect(said.getByText(/the story goes on|before any decision|made a decision/)).toBeVisible();
});

// Shows: U-09, U-16
test("an address that leads nowhere is said to, and taken away; presenting outlives a reload", async ({ t }) => {
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
  await expect(page.locator(".page.present"), "it has ended").toHaveCount(0);
});

// Shows: T-04, U-16
test("two runs lie in rows, whatever is pending, and are called what they are", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.command(page, "kubectl scale deployment web --replicas=40");
  await t.seek(page, "1:00.0");
  await page.getByRole("button", { name: "Compare with no commands" }).click();
  await expect(page.getByText("without your commands")).toBeVisible();
  for (const node of ["a-1", "a-2", "b-1", "c-2"]) {
    const [one, other] = await page.locator(`[data-node="${node}"]`).evaluateAll((all) => all.map((e) => e.getBoundingClientRect().top));
    expect(Math.abs(one - other), `${node} at ${one} and ${other}`).toBeLessThanOrEqual(1);
  }
  await t.checkLooks(page, "compared-rows");
});

// Shows: U-07
test("the editor says what the server would, and what it said", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  await chooseFromMore(page, "Editor");
  await page.getByRole("dialog", { name: "Editor" }).getByRole("button", { name: "Beside the cluster" }).click();
  const editor = page.getByRole("complementary", { name: "Editor beside the cluster" });
  await t.replaceText(editor, "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: x}\nspec: {}\n");
  await expect(editor.getByText('no matches for kind "PodDisruptionBudget"').first()).toBeVisible();
  await expect(editor.getByRole("button", { name: "Apply", exact: true }), "nothing to apply it to").toBeDisabled();
  await t.replaceText(editor, "");
  await expect(editor.getByText("Nothing to apply yet")).toBeVisible();
  await expect(editor.getByRole("button", { name: "Apply", exact: true }), "nothing to apply").toBeDisabled();
  await editor.getByLabel("Apply as I type").check();
  await t.replaceText(editor, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: nowhere}\n");
  await expect(editor.getByText(/namespaces? "nowhere" not found/)).toBeVisible();
  await expect(editor.getByText("No problems."), "it is not fine").toHaveCount(0);
  await t.checkLooks(page, "editor-refused");
});
