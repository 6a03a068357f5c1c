// What the API server says and what the machines do: a cut, a forced delete, two of one name.
// U-02, U-03, F-04, L-13.

export const stories = {
  async "a partition and a forced delete: two web-0, both seen (U-02)"(t) {
    const page = await t.open("#lesson=partition-statefulset");
    const pod = page.locator('[data-pod="default/web-0"]');
    await pod.first().waitFor();
    const node = await pod.locator("xpath=ancestor::*[@data-node]").getAttribute("data-node");

    // The link between node and control plane is cut by hand; the button names its command.
    const wire = page.locator(`[data-wire="${node}"]`);
    if (!(await wire.getAttribute("aria-label")).includes("heal")) await wire.click();
    await page.locator(`.node.cut[data-node="${node}"]`).waitFor();
    await page.getByLabel("Speed").fill("7");
    await page.locator(`[data-node="${node}"]`).getByText(/cut off, no heartbeat for/).waitFor();
    await page.locator(`[data-node="${node}"] .m-unsure, [data-node="${node}"] .m-term`).first().waitFor();

    // The consequence is said before, with the command; only then it is done.
    await pod.first().click();
    await page.locator(".doings").getByRole("button", { name: "Force delete" }).click();
    const confirm = page.getByRole("dialog", { name: "Are you sure?" });
    await confirm.getByText(/--grace-period=0 --force/).waitFor();
    await confirm.getByText(/two/).waitFor();
    await confirm.getByRole("button", { name: "I understand, do it" }).click();

    const ghost = page.locator('[data-ghost="true"][data-pod="default/web-0"]');
    const other = page.locator('[data-ghost="false"][data-pod="default/web-0"]');
    await ghost.waitFor();
    await other.and(page.locator(".m-ready, .m-starting")).waitFor();
    await t.pause(page);
    t.equal(await ghost.locator("xpath=ancestor::*[@data-node]").getAttribute("data-node"), node, "the ghost's node");
    t.check(await other.locator("xpath=ancestor::*[@data-node]").getAttribute("data-node") !== node, "the second is elsewhere");
    await page.locator(`[data-node="${node}"] .truth`).getByText(/web-0/).waitFor();
    await page.locator(".plane .chip.bad:visible").click();
    await page.locator(".side").getByText(/Broken as well/).waitFor();
    await page.locator(".side .promise").getByRole("button", { name: "at-most-one" }).or(page.locator('.side[data-subject="at-most-one"]')).first().click();
    await page.locator(".side").getByText("at most one has live processes").waitFor();
    await page.locator(".side").getByText(/at-most-one/).first().waitFor();
    await ghost.click();
    await page.locator(".side").getByText(/the API has forgotten it/).first().waitFor();
    // Its decision is its own, not its successor's.
    await page.locator(".side .lead").getByText(node).waitFor();
    t.check(/1 of 1/i.test(await page.locator(".side .attempt").innerText()), "one attempt");
    await other.click();
    await page.locator(".side .lead").getByText(node).waitFor({ state: "detached" });
    await ghost.click();
    await page.locator(".side .lead").getByText(node).waitFor();
    await t.look(page, "two-truths");
  },

  async "a command given while time stands still is seen at once, and says so"(t) {
    const page = await t.open("");
    await t.seek(page, "0:30.0");
    const web = page.locator('[data-pod^="default/web-"].m-ready').first();
    const name = await web.getAttribute("data-pod");
    await web.focus();
    await page.keyboard.press("Delete");
    await page.locator(`[data-pod="${name}"].m-term`).waitFor();
    await page.getByText("Time stands still: play or step to see what follows.").first().waitFor();
    t.check((await t.now(page)).startsWith("0:30."), "the clock hardly moved");
    await page.locator('[data-node="b-1"] [data-wire]').click();
    await page.locator('.node.cut[data-node="b-1"]').waitFor();
  },

  async "a pod dragged to the bin is deleted, dragged to a node it is refused (U-03, U-12)"(t) {
    const page = await t.open("");
    await t.seek(page, "0:40.0");
    const pod = page.locator('[data-pod^="default/web-"].m-ready').first();
    const name = await pod.getAttribute("data-pod");
    const node = await pod.locator("xpath=ancestor::*[@data-node]").getAttribute("data-node");
    const middle = async (locator) => {
      const box = await locator.boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const other = page.locator(`[data-node]:not([data-node="${node}"]) h3`).first();
    await page.mouse.move(...(await middle(pod)));
    await page.mouse.down();
    await page.mouse.move(...(await middle(other)), { steps: 8 });
    await page.mouse.up();
    await page.locator(".toast").getByText(/there is no live migration|not rescheduled/i).waitFor();
    t.equal(await page.locator(`[data-node="${node}"] [data-pod="${name}"]`).count(), 1, "it stays");

    await page.mouse.move(...(await middle(pod)));
    await page.mouse.down();
    await page.mouse.move(600, 500, { steps: 5 });
    await page.locator(".bin").waitFor();
    await t.screenshot(page, "bin");
    await page.mouse.move(...(await middle(page.locator(".bin"))), { steps: 5 });
    await page.mouse.up();
    await page.locator(`[data-pod="${name}"].m-term`).waitFor();
    await page.getByLabel("Command", { exact: true }).and(page.locator('[placeholder*="kubectl delete pod"]')).waitFor();
  },
};
