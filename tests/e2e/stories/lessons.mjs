// A lesson from its first step to its last goal. E-01, L-16, S-11, U-07.

const HIGH = `apiVersion: v1
kind: Pod
metadata: {name: high}
spec:
  priorityClassName: high-priority
  containers: [{name: c, image: "app:1", resources: {requests: {cpu: "1"}}}]
`;

export const stories = {
  async "the lesson on preemption, start to goal (E-01)"(t) {
    const page = await t.open("");
    await page.getByRole("button", { name: "A small living cluster" }).click();
    await page.getByLabel("Find a lesson").fill("preemption takes time");
    await page.locator('[data-lesson="preemption-and-grace"]').click();
    await page.locator('[data-pod="default/low"].m-ready').waitFor();
    const story = page.getByRole("complementary", { name: "Story" });
    await story.getByText("1 of 2").waitFor();
    t.equal(await story.locator(".goals li").count(), 2, "goals");
    t.equal(await story.locator(".goals li.met").count(), 0, "nothing is reached yet");

    // The pod is written in the editor and applied to the running cluster.
    await page.getByRole("button", { name: "Editor" }).click();
    const editor = page.getByRole("dialog", { name: "Editor" });
    await editor.locator(".cm-content").fill(HIGH);
    await editor.getByText("No problems.").waitFor();
    await t.look(page, "editor");
    await editor.getByRole("button", { name: "Apply to the running cluster" }).click();

    await story.locator(".goals li.met").first().waitFor();
    const low = page.locator('[data-pod="default/low"][data-stage="sigterm"]');
    await low.waitFor();
    t.check(/SIGTERM was sent/.test(await low.getAttribute("aria-label")), "the mark says its stage");
    await page.locator(".nominee").getByText("nominated here").waitFor({ state: "attached" });
    await low.locator("small").waitFor();
    await t.pause(page);
    await page.locator('[data-pod="default/high"]').first().click();
    await page.locator(".preempt").getByText("victims: low (priority 0)").waitFor();
    await page.locator(".preempt").getByText("nominated").waitFor();
    await t.look(page, "preemption");

    await page.getByLabel("Speed").fill("6");
    await page.getByRole("button", { name: "Play" }).click();
    await page.locator('[data-node="a-1"] [data-pod="default/high"].m-ready').waitFor();
    await story.getByText("2 of 2").waitFor();
    await t.check(await story.locator(".goals li").count() === 2, "goals stay");
    await page.waitForFunction(() => document.querySelectorAll(".goals li.met").length === 2);
    await t.look(page, "lesson-done");
  },
};
