// A lesson from its first step to its last goal.
// Shows: E-05, E-06, L-16, S-11, U-07
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const HIGH_PRIORITY_POD = `apiVersion: v1
kind: Pod
metadata: {name: high}
spec:
  priorityClassName: high-priority
  containers: [{name: c, image: "app:1", resources: {requests: {cpu: "1"}}}]
`;

const LESSON_WITH_LATE_FIRST_STEP = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: later}
spec:
  title: A story that waits
  cluster: {zones: [a], nodesPerZone: 2}
  steps:
  - when: {at: 30s}
    text: Half a minute later.
    goal: {count: nodes, least: 3}
`;

// Shows: E-01
test("a story that has not begun names the condition for its start and has a button that lets time run", async ({ t }) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "later.yaml": LESSON_WITH_LATE_FIRST_STEP });
  await t.seek(page, "0:05.0");
  const story = page.getByRole("complementary", { name: "Story" });
  await expect(story.getByText("The story begins when this has happened:")).toBeVisible();
  await expect(story.getByText("From 30s on")).toBeVisible();
  for (const [width, height] of [[1440, 900], [820, 1180], [360, 640]]) {
    await t.resize(page, width, height);
    await expect(story.getByRole("button", { name: "Let time run" })).toBeVisible();
    await t.checkLooks(page, `story-waits-${width}`);
  }
  await story.getByRole("button", { name: "Let time run" }).click();
  await expect(story.getByText("Time runs.")).toBeVisible();
  await page.locator("[data-forward]").click();
  await expect(story.getByText("Half a minute later.")).toBeVisible();
});

// Shows: E-01
test("the preemption lesson can be played from start to goal", async ({ t }) => {
  const page = await t.open("");
  await page.getByRole("button", { name: "A small living cluster" }).click();
  await page.getByLabel("Find a lesson").fill("preemption takes time");
  await page.locator('[data-lesson="preemption-and-grace"]').click();
  await expect(page.locator('[data-pod="default/low"].m-ready')).toBeVisible();
  const story = page.getByRole("complementary", { name: "Story" });
  await expect(story.getByText("1 of 3")).toBeVisible();
  await expect(story.locator(".goals li"), "only the goals of steps that were shown").toHaveCount(1);
  await expect(story.locator(".goals li.met"), "no goal is reached yet").toHaveCount(0);

  // Write the pod in the editor and apply it to the running cluster.
  await chooseFromMore(page, "Editor");
  const editor = page.getByRole("dialog", { name: "Editor" });
  await t.replaceText(editor, HIGH_PRIORITY_POD);
  await expect(editor.getByText("No problems.")).toBeVisible();
  await t.checkLooks(page, "editor");
  await editor.getByRole("button", { name: "Apply to the running cluster" }).click();

  // When the goal is reached, the next step with its question opens, and time is paused until the answer.
  const next = story.getByRole("button", { name: "Next" });
  const question = story.getByRole("region", { name: "A question" });
  await expect(question.getByText("Time waits")).toBeVisible();
  await expect(story.locator(".goals"), "the goals do not reveal the answer").toHaveCount(0);
  await t.checkLooks(page, "question");
  await question.getByRole("button", { name: "10s" }).click();
  await expect(story.locator(".goals li.met").first()).toBeVisible();
  const low = page.locator('[data-pod="default/low"][data-stage="sigterm"]');
  await expect(low).toBeVisible();
  await expect(low, "the mark names its termination stage").toHaveAccessibleName(/SIGTERM was sent/);
  await expect(page.locator(".nominee").getByText("nominated here")).toBeAttached();
  await expect(low.getByText(/^SIGKILL in \d+ s$/), "the mark shows the remaining grace period").toBeVisible();
  await t.pause(page);
  await page.locator('[data-pod="default/high"]').first().click();
  await expect(page.locator(".preempt").getByText("victims: low (priority 0)")).toBeVisible();
  await expect(page.locator(".preempt").getByText("nominated")).toBeVisible();
  await t.checkLooks(page, "preemption");

  await page.getByLabel("Speed").selectOption("6");
  await page.getByRole("button", { name: "Play" }).click();
  await expect(page.locator('[data-node="a-1"] [data-pod="default/high"].m-ready')).toBeVisible();
  await expect(story.getByText("You said 10s.")).toBeVisible();
  await expect(story.getByText("The answer was 30s")).toBeVisible();
  await next.click();
  await expect(story.getByText("3 of 3")).toBeVisible();
  await expect(story.locator(".goals li.met"), "reached goals stay listed").toHaveCount(2);
  await expect(story.getByRole("region", { name: "The end of the lesson" })).toBeVisible();
  await t.checkLooks(page, "lesson-done");
});

// Shows: E-10
test("a lesson in the editor is checked, including whether its solution works", async ({ t }) => {
  const page = await t.open("#new");
  await t.pause(page);
  await chooseFromMore(page, "Editor");
  const editor = page.getByRole("dialog", { name: "Editor" });
  await editor.getByLabel("Examples").selectOption({ label: "A lesson to write on" });
  await expect(editor.getByText("No problems.")).toBeVisible();
  await expect(editor.getByRole("button", { name: "Apply to the running cluster" }), "a scenario starts a new session and cannot be applied").toBeDisabled();
  // Remove a command from the solution, so that it does not reach the goal.
  const text = (await editor.locator(".cm-content").innerText()).replace(/^# .*\n/, "");
  expect(text, text.slice(0, 200)).toContain("kind: Scenario");
  await t.replaceText(editor, "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: mine}\nspec:\n  title: Mine\n  steps:\n  - text: Make a pod.\n    goal: {object: Pod default/a, exists: true}\n  solution:\n  - {at: 5s, run: \"kubectl run b --image=b\"}\n");
  await expect(editor.getByText("No problems.")).toBeVisible();
  await editor.getByRole("button", { name: "Check the lesson" }).click();
  await expect(editor.locator(".found").getByText(/solution/).first()).toBeVisible();
  await t.checkLooks(page, "lesson-checked");
});
