// What a press, a paste or a reload leads to is seen: nothing is dead, nothing goes back by itself, nothing is lost.

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

export const stories = {
  async "pasted lines wait for each other; a block is one line, in the log and in the history (K-01)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:30.0");
    const field = page.getByLabel("Command", { exact: true });
    const log = page.locator(".con .log");
    await paste(page, "kubectl run r2 --image=nginx\nkubectl get pod r2\nkubectl scale deploy web --replicas=2\nkubectl get deploy web\nkubectl get pods -w\nkubectl get ns");
    await field.press("Enter");
    await log.getByText(/Waiting until `kubectl get pods -w` ends: kubectl get ns\./).waitFor();
    const said = await log.innerText();
    t.check(!said.includes("not found"), said);
    t.check(/web\s+\d\/2/.test(said), `the new count: ${said}`);
    await t.look(page, "console-waits");
    await field.press("Control+c");
    await log.getByText("not run: kubectl get ns").waitFor();
    // An open document is dropped, and the next command is a command.
    await field.fill("kubectl apply -f - <<EOF");
    await field.press("Enter");
    await page.locator(".con .block").waitFor();
    await field.press("Control+c");
    await page.locator(".con .block").waitFor({ state: "detached" });
    await field.fill("kubectl get nodes");
    await field.press("Enter");
    await log.getByText("c-2").first().waitFor();
    // What is half typed outlives a look at the history.
    await field.fill("kubectl get de");
    await field.press("Escape");
    await field.press("ArrowUp");
    t.equal(await field.inputValue(), "kubectl get nodes", "the last command");
    await field.press("ArrowDown");
    t.equal(await field.inputValue(), "kubectl get de", "what was typed");
    await field.fill("");
    await paste(page, "kubectl apply -f - <<EOF\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\nEOF");
    await field.press("Enter");
    const block = log.locator("details");
    await block.getByText("5 lines").waitFor();
    t.check(!await block.getByText("kind: ConfigMap").isVisible(), "it is folded");
    await field.press("ArrowUp");
    await page.locator(".con .block").getByText("kind: ConfigMap").waitFor();
  },

  async "other branches outlive a reload, as does the offer to compare (T-01, T-04, T-05)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:30.0");
    await t.command(page, "fault poweroff c-2");
    await t.seek(page, "0:20.0");
    await t.command(page, "fault partition a-1");
    const branches = page.getByRole("group", { name: "Branches" });
    const first = branches.getByRole("button", { name: "fault poweroff c-2", exact: true });
    await first.waitFor();
    await t.kept(page);
    await page.reload();
    await t.ready(page);
    await branches.getByRole("button", { name: "Compare with no commands" }).waitFor();
    t.equal(await branches.locator("[aria-pressed]").count(), 2, "both are there");
    await first.click();
    await t.seek(page, "0:40.0");
    await page.locator('[data-node="c-2"]').getByText(/off/i).first().waitFor();
  },

  async "Show me goes to the solution's next command, and pressed again never back (E-07)"(t) {
    const page = await t.open("#lesson=partition-statefulset");
    await t.pause(page);
    await page.getByRole("button", { name: "Skip to the story" }).click();
    const show = page.getByRole("button", { name: "Show me" });
    await show.click();
    await page.locator(".due").getByText("Showing: fault partition a-1 at 0:30").waitFor();
    await page.locator('[data-node="a-1"]').getByText(/cut off/i).first().waitFor();
    const before = seconds(await t.now(page));
    await page.waitForTimeout(500);
    await show.click();
    await page.waitForFunction((at) => {
      const [m, s] = document.querySelector(".page").dataset.now.split(":").map(Number);
      return m * 60 + s > at + 20;
    }, before);
  },

  async "the first visit's button shows what it did, once, and then the way back (U-10)"(t) {
    for (const size of ["phone", "desktop"]) {
      const page = await t.open("", { size });
      const story = page.getByRole("complementary", { name: "Story" });
      await story.getByRole("button", { name: "Cut off c-2" }).click();
      await story.getByText(/c-2 is cut off: its pods run on there/).waitFor();
      await story.getByRole("button", { name: "Heal c-2" }).waitFor();
      t.equal(await page.locator(".start").count(), 0, "the card with the ways in is folded");
      // In sight, and nothing lies over it.
      await page.waitForFunction(() => {
        const node = document.querySelector('[data-node="c-2"]');
        const { top, bottom, left, width } = node.getBoundingClientRect();
        const at = document.elementFromPoint(left + width / 2, Math.min(bottom, innerHeight) - 30);
        return top >= 0 && top < innerHeight && node.contains(at);
      });
      await t.look(page, `first-press-${size}`);
      await t.pause(page);
      await page.locator(".page").press("Shift+?").catch(() => {});
    }
  },

  async "a story that begins late is one press away (E-05)"(t) {
    const page = await t.open("#lesson=force-delete-split-brain");
    await t.pause(page);
    await page.getByRole("button", { name: "Skip to the story" }).click();
    const story = page.getByRole("complementary", { name: "Story" });
    await story.getByText("The story begins when this has happened:").waitFor({ state: "detached" });
    t.check(seconds(await t.now(page)) >= 60, "the clock ran there");
  },

  async "a step names its event, and a run to a decision stops at what comes before it (U-05)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:40.0");
    await t.command(page, "fault partition c-2");
    await t.seek(page, "0:50.0");
    const said = page.locator(".due .ended");
    await page.getByRole("button", { name: /next decision/i }).click();
    await said.getByText("c-2 became NotReady, before any decision").waitFor();
    await page.getByRole("button", { name: "Next event" }).click();
    await said.getByText(/: \w+/).waitFor();
    await page.getByRole("button", { name: /next decision/i }).click();
    await said.getByText(/the story goes on|before any decision|made a decision/).waitFor();
  },

  async "an address that leads nowhere is said to, and taken away; presenting outlives a reload (U-09, U-16)"(t) {
    for (const bad of ["#garbage", "#lesson="]) {
      const page = await t.open(bad);
      await page.getByRole("dialog").getByText(/not a link|no lesson/).first().waitFor();
      t.check(!page.url().endsWith(bad), `${page.url()} stays`);
    }
    const page = await t.open("#new");
    await t.seek(page, "0:10.0");
    await page.locator("#stage").focus();
    await page.keyboard.press("Shift+P");
    await page.locator(".page.present").waitFor();
    await t.kept(page);
    await page.reload();
    await t.ready(page);
    await page.locator(".page.present").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".page.present").waitFor({ state: "detached" });
    await page.reload();
    await t.ready(page);
    await page.waitForTimeout(300);
    t.equal(await page.locator(".page.present").count(), 0, "it has ended");
  },

  async "two runs lie in rows, whatever is pending, and are called what they are (T-04, U-16)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:30.0");
    await t.command(page, "kubectl scale deployment web --replicas=40");
    await t.seek(page, "1:00.0");
    await page.getByRole("button", { name: "Compare with no commands" }).click();
    await page.getByText("without your commands").waitFor();
    for (const node of ["a-1", "a-2", "b-1", "c-2"]) {
      const [one, other] = await page.locator(`[data-node="${node}"]`).evaluateAll((all) => all.map((e) => e.getBoundingClientRect().top));
      t.check(Math.abs(one - other) <= 1, `${node} at ${one} and ${other}`);
    }
    await t.look(page, "compared-rows");
  },

  async "the editor says what the server would, and what it said (U-07)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:20.0");
    await page.getByRole("button", { name: "Editor" }).click();
    await page.getByRole("dialog", { name: "Editor" }).getByRole("button", { name: "Beside the cluster" }).click();
    const editor = page.getByRole("complementary", { name: "Editor beside the cluster" });
    await t.write(editor, "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: x}\nspec: {}\n");
    await editor.getByText('no matches for kind "PodDisruptionBudget"').first().waitFor();
    t.check(await editor.getByRole("button", { name: "Apply", exact: true }).isDisabled(), "nothing to apply it to");
    await t.write(editor, "");
    await editor.getByText("Nothing to apply yet").waitFor();
    t.check(await editor.getByRole("button", { name: "Apply", exact: true }).isDisabled(), "nothing to apply");
    await editor.getByLabel("Apply as I type").check();
    await t.write(editor, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: nowhere}\n");
    await editor.getByText(/namespaces? "nowhere" not found/).waitFor();
    t.equal(await editor.getByText("No problems.").count(), 0, "it is not fine");
    await t.look(page, "editor-refused");
  },
};
