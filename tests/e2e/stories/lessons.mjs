// A lesson from its first step to its last goal. E-01, E-05, E-06, L-16, S-11, U-07.

const HIGH = `apiVersion: v1
kind: Pod
metadata: {name: high}
spec:
  priorityClassName: high-priority
  containers: [{name: c, image: "app:1", resources: {requests: {cpu: "1"}}}]
`;

const LATER = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: later}
spec:
  title: A story that waits
  cluster: {zones: [a], nodesPerZone: 2}
  steps:
  - when: {at: 30s}
    text: Half a minute later.
`;

export const stories = {
  async "a story whose first step waits says what for, and lets time run (E-01)"(t) {
    const page = await t.open("#new");
    await t.openFiles(page, { "later.yaml": LATER });
    await t.seek(page, "0:05.0");
    const story = page.getByRole("complementary", { name: "Story" });
    await story.getByText("The story begins when this has happened:").waitFor();
    await story.getByText("From 30s on").waitFor();
    for (const [width, height] of [[1440, 900], [820, 1180], [360, 640]]) {
      await page.setViewportSize({ width, height });
      await story.getByRole("button", { name: "Let time run" }).waitFor();
      await t.look(page, `story-waits-${width}`);
    }
    await story.getByRole("button", { name: "Let time run" }).click();
    await story.getByText("Time runs.").waitFor();
    await page.getByRole("button", { name: "Skip ahead" }).click();
    await story.getByText("Half a minute later.").waitFor();
  },

  async "the lesson on preemption, start to goal (E-01)"(t) {
    const page = await t.open("");
    await page.getByRole("button", { name: "A small living cluster" }).click();
    await page.getByLabel("Find a lesson").fill("preemption takes time");
    await page.locator('[data-lesson="preemption-and-grace"]').click();
    await page.locator('[data-pod="default/low"].m-ready').waitFor();
    const story = page.getByRole("complementary", { name: "Story" });
    await story.getByText("1 of 3").waitFor();
    t.equal(await story.locator(".goals li").count(), 1, "only the goals of steps that have shown");
    t.equal(await story.locator(".goals li.met").count(), 0, "nothing is reached yet");

    // The pod is written in the editor and applied to the running cluster.
    await page.getByRole("button", { name: "Editor" }).click();
    const editor = page.getByRole("dialog", { name: "Editor" });
    await t.write(editor, HIGH);
    await editor.getByText("No problems.").waitFor();
    await t.look(page, "editor");
    await editor.getByRole("button", { name: "Apply to the running cluster" }).click();

    // What has shown stays until the reader moves on; then time waits for the answer.
    const next = story.getByRole("button", { name: "Next" });
    await next.click();
    const question = story.getByRole("region", { name: "A question" });
    await question.getByText("Time waits").waitFor();
    t.equal(await story.locator(".goals").count(), 0, "goals do not give the answer away");
    await t.look(page, "question");
    await question.getByRole("button", { name: "10s" }).click();
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
    await story.getByText("You said 10s.").waitFor();
    await story.getByText("It is 30s").waitFor();
    await next.click();
    await story.getByText("3 of 3").waitFor();
    t.equal(await story.locator(".goals li.met").count(), 2, "goals stay");
    await story.getByRole("region", { name: "The end of the lesson" }).waitFor();
    await t.look(page, "lesson-done");
  },

  async "a lesson that somebody writes is checked in the editor, with the gaps that its readers fill (E-10)"(t) {
    const page = await t.open("#new");
    await t.pause(page);
    await page.getByRole("button", { name: "Editor" }).click();
    const editor = page.getByRole("dialog", { name: "Editor" });
    await editor.getByLabel("Examples").selectOption({ label: "A lesson to write on" });
    await editor.getByText("No problems.").waitFor();
    t.check(await editor.getByRole("button", { name: "Apply to the running cluster" }).isDisabled(), "a scenario is begun anew, not applied");
    // A solution that does not solve it.
    const text = (await editor.locator(".cm-content").innerText()).replace(/^# .*\n/, "");
    t.check(text.includes("kind: Scenario"), text.slice(0, 200));
    await t.write(editor, "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: mine}\nspec:\n  title: Mine\n  steps:\n  - text: Make a pod.\n    goal: {object: Pod default/a, exists: true}\n  solution:\n  - {at: 5s, run: \"kubectl run b --image=b\"}\n");
    await editor.getByText("No problems.").waitFor();
    await editor.getByRole("button", { name: "Check the lesson" }).click();
    await editor.locator(".found").getByText(/solution/).first().waitFor();
    await t.look(page, "lesson-checked");
  },
};
