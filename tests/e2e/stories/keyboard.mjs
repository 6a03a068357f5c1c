// Everything without a mouse. U-03, U-08.

export const stories = {
  async "the cluster by keyboard alone (U-03)"(t) {
    const page = await t.open("");
    await page.locator("[data-node] .m-ready").nth(3).waitFor();
    const press = (key) => page.keyboard.press(key);
    const focus = () => page.evaluate(() => {
      const e = document.activeElement;
      return { pod: e.dataset.pod, node: e.closest("[data-node]")?.dataset.node, outline: getComputedStyle(e).outlineStyle, tag: e.tagName };
    });

    // The first stop leads to the cluster; arrows go from thing to thing.
    await press("Tab");
    t.equal(await page.evaluate(() => document.activeElement.className), "skip", "skip link");
    await press("Enter");
    await press("Space");
    await page.locator('.page[data-playing="false"]').waitFor();
    await press("ArrowDown");
    await press("ArrowDown");
    let at = await focus();
    t.check(at.node !== undefined, "an arrow reaches a node");
    t.check(at.outline !== "none", "the focus is seen");
    for (let i = 0; i < 6 && !(await focus()).pod; i += 1) await press("ArrowDown");
    at = await focus();
    t.check(at.pod !== undefined, "arrows reach a pod");
    await press("Enter");
    await page.locator(`.side[data-subject="${at.pod.split("/")[1]}"]`).waitFor();
    await t.screenshot(page, "keyboard-pod");

    // What can be done is one key away, with its command.
    await press("m");
    const menu = page.getByRole("dialog", { name: at.pod });
    await menu.getByText(/kubectl delete pod/).first().waitFor();
    await t.look(page, "menu");
    await press("Escape");
    await menu.waitFor({ state: "hidden" });

    await press("o");
    await page.locator(`[data-node="${at.node}"]`).getByText("cordoned", { exact: true }).waitFor();
    await press("c");
    await page.locator(`.node.cut[data-node="${at.node}"]`).waitFor();
    await press("c");
    await page.locator(`.node:not(.cut)[data-node="${at.node}"]`).waitFor();
    await press("Shift+Delete");
    await page.getByRole("dialog", { name: "Are you sure?" }).waitFor();
    t.equal(await page.evaluate(() => document.activeElement.innerText), "Leave it", "the harmless answer has the focus");
    await t.look(page, "consequence");
    await press("Escape");
    await page.getByRole("dialog", { name: "Are you sure?" }).waitFor({ state: "hidden" });

    // Time.
    const before = await t.now(page);
    await press(".");
    await page.waitForFunction((then) => document.querySelector(".page").dataset.now !== then
      || document.querySelector(".page").dataset.playing === "false", before);
    await page.waitForTimeout(300);
    await press("]");
    await page.locator(".speed .set").getByText("2×", { exact: true }).waitFor();
    await press("]");
    await page.locator(".speed .set").getByText("5×", { exact: true }).waitFor();
    await press("Space");
    await page.locator('.page[data-playing="true"]').waitFor();
    await press("Space");
    await page.locator('.page[data-playing="false"]').waitFor();

    // Dialogs give the focus back.
    await press("?");
    await page.getByRole("dialog", { name: "Help and shortcuts" }).waitFor();
    await t.look(page, "shortcuts");
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await press("l");
    await page.getByRole("dialog", { name: "Lessons and scenarios" }).waitFor();
    await t.look(page, "lessons");
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await press("`");
    await page.keyboard.type("kubectl get no");
    await page.locator("#choices").getByText("nodes", { exact: true }).first().waitFor();
    await press("Tab");
    await press("Enter");
    await page.locator(".con .log").getByText(/NAME\s+STATUS/).waitFor();
    await t.look(page, "console");
    await press("Escape");
    await press("t");
    t.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light", "theme");
  },

  async "single keys can be switched off (WCAG 2.1.4)"(t) {
    const page = await t.open("");
    await t.pause(page);
    await page.getByRole("button", { name: "Help and shortcuts" }).click();
    await page.getByLabel("Single keys act").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("l");
    await page.waitForTimeout(200);
    t.equal(await page.getByRole("dialog").count(), 0, "no dialog");
  },
};
