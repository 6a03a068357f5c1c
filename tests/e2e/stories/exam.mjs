// An exam as a candidate takes it: right answers stay hidden until its end, and nobody leaves it by accident.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const CUSTOM_LESSON = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: own}
spec:
  title: My own lesson
  cluster: {zones: [a], nodesPerZone: 1}
  steps:
  - text: Run a pod \`a\`.
    goal: {count: "pods -l run=a", equals: 1, say: there is a pod \`a\`}
    mistakes:
    - {when: {count: "pods -l run=b", equals: 1}, say: "The name is wrong: kubectl run a."}
  - text: Run a pod \`c\`.
    goal: {count: "pods -l run=c", equals: 1, say: there is a pod \`c\`}
`;

const EXAM = `apiVersion: podscope.dev/v1alpha1
kind: Course
metadata: {name: short}
spec:
  title: A short exam
  lessons:
  - {practice: which-node, seed: 5, level: 1}
  - {practice: which-phase, seed: 1, level: 1}
  - {url: lessons/own.yaml}
  exam: {minutes: 30, pass: 66}
`;

/** Opens `EXAM` with its lesson `CUSTOM_LESSON`; returns the page, the story, the exam's dialog and the question. */
const openExam = async (t) => {
  const respondWithYaml = (body) => (route) => route.fulfill({ contentType: "application/yaml", body });
  const page = await t.open("?course=exam.yaml", {
    before: async (page) => {
      await page.route("**/exam.yaml", respondWithYaml(EXAM));
      await page.route("**/lessons/own.yaml", respondWithYaml(CUSTOM_LESSON));
    },
  });
  const story = page.getByRole("complementary", { name: "Story" });
  const dialog = page.getByRole("dialog", { name: "A short exam" });
  await expect(dialog).toBeVisible({ timeout: 60_000 });
  return { page, story, dialog, question: story.getByRole("region", { name: "A question" }) };
};

// Shows: E-12
test("an exam hides the right answers until it ends, and then shows them in replays", async ({ t }) => {
  const { page, story, dialog, question } = await openExam(t);
  await dialog.getByRole("button", { name: "Begin the exam" }).click();
  await dialog.locator('[data-item="0"]').click();
  await expect(story.getByText(/A short exam · 1 of 3 · \d+ minutes left/)).toBeVisible({ timeout: 60_000 });
  // The page does not say whether the chosen node is right.
  await question.getByRole("button", { name: "b-1" }).click();
  const end = story.getByRole("region", { name: "The end of the task" });
  await expect(end.getByText("Your work on this task is noted")).toBeVisible({ timeout: 60_000 });
  await expect(story.getByText("You said b-1. Watch.")).toBeVisible();
  for (const told of ["The rule", "Every answer, and why", "The answer was", "and so it is", "Why here?"]) {
    await expect(page.getByText(told), told).toHaveCount(0);
  }
  await expect(page.locator(".told-real, .told-wrong"), "no answer is marked in the picture").toHaveCount(0);
  await t.checkLooks(page, "exam-task-answered");

  await end.getByRole("button", { name: "Next task" }).click();
  await expect(story.getByText(/A short exam · 2 of 3 · \d+ minutes left/)).toBeVisible({ timeout: 60_000 });
  await expect(page.locator(".bar .scenario"), "the title of the task").toHaveText(/What phase does it end in\?/);

  await story.getByText(/A short exam · 2 of 3/).click();
  await expect(dialog.getByText("1 of 3 answered")).toBeVisible();
  await expect(dialog.getByText("answered · weight 1")).toBeVisible();
  await expect(dialog.locator(".tick, .item:has-text('%')"), "no score while the exam runs").toHaveCount(0);
  await dialog.locator('[data-item="2"]').click();
  await expect(story.getByText(/A short exam · 3 of 3/)).toBeVisible({ timeout: 60_000 });
  await t.command(page, "kubectl run b --image=nginx");
  await expect(story.getByText("Something went wrong in this step.")).toBeVisible();
  await expect(page.getByText("The name is wrong")).toHaveCount(0);
  await t.command(page, "kubectl run a --image=nginx");
  await expect(story.locator(".goals li.met")).toHaveCount(1);

  await story.getByText(/A short exam · 3 of 3/).click();
  await dialog.getByRole("button", { name: "End the exam" }).click();
  const confirmation = dialog.getByRole("alert");
  await expect(confirmation.getByText(/^2 tasks are not answered: 2, 3\. \d+ minutes left\./)).toBeVisible();
  await t.checkLooks(page, "exam-end");
  await confirmation.getByRole("button", { name: "Go on with the exam" }).click();
  await expect(dialog.getByText("1 of 3 answered")).toBeVisible();
  await dialog.getByRole("button", { name: "End the exam" }).click();
  await confirmation.getByRole("button", { name: "End it" }).click();
  await expect(dialog.getByText(/% of the points; 66 % are asked\./)).toBeVisible();
  await expect(dialog.locator('[data-item="2"]')).toHaveText(/50 % · weight 1/);
  await t.checkLooks(page, "exam-result");

  // The file that was handed in is graded in another browser, which has opened no lesson yet.
  const save = dialog.getByRole("button", { name: "Save the file to hand in" });
  const { name, bytes } = await t.download(page, () => save.click());
  const minutes = JSON.parse(bytes.toString()).lessons.map((lesson) => lesson.minutes);
  expect(minutes.every((one) => typeof one === "number"), `minutes: ${minutes}`).toBe(true);
  await dialog.getByRole("button", { name: /^Replay of Which node/ }).click();
  await expect(story.getByRole("region", { name: "The end of the task" }).getByText("The rule")).toBeVisible({ timeout: 60_000 });
  await expect(story.getByText(/You said b-1/)).toBeVisible();
  await expect(story.getByText("Every answer, and why")).toBeVisible();
  await t.checkLooks(page, "exam-replay");
  await page.locator(".story .place").click();
  await dialog.getByRole("button", { name: "Replay of own" }).click();
  await expect(story.getByText("The name is wrong")).toBeVisible({ timeout: 60_000 });

  const teacherPage = await t.open("#new");
  await chooseFromMore(teacherPage, "Class");
  const classView = teacherPage.getByRole("dialog", { name: "Class" });
  await classView.getByLabel("Choose files").setInputFiles({ name, mimeType: "application/json", buffer: bytes });
  const ownLessonRow = classView.getByRole("row", { name: /My own lesson/ });
  await expect(ownLessonRow.getByRole("cell", { name: "replayed" })).toBeVisible({ timeout: 60_000 });
  await expect(ownLessonRow.getByRole("cell", { name: "1/2" })).toBeVisible();
});

// Shows: E-12
test("'Start over', Back, Forward and a reload do not leave the exam", async ({ t }) => {
  const { page, story, dialog, question } = await openExam(t);
  const expectTaskNumber = (n) => expect(story.getByText(new RegExp(`^A short exam · ${n} of 3 · \\d+ minutes left$`)), `task ${n}`).toBeVisible({ timeout: 60_000 });
  await dialog.getByRole("button", { name: "Begin the exam" }).click();
  await dialog.locator('[data-item="0"]').click();
  await expectTaskNumber(1);
  await question.getByRole("button", { name: "b-1" }).click();
  await story.getByRole("button", { name: "Start over" }).click();
  await expect(question).toBeVisible({ timeout: 60_000 });
  await expectTaskNumber(1);
  await question.getByRole("button", { name: "b-1" }).click();
  await story.getByRole("button", { name: "Next task" }).click({ timeout: 60_000 });
  await expectTaskNumber(2);
  await expect(question).toBeVisible({ timeout: 60_000 });
  await t.waitUntilSettled(page);
  await t.waitUntilSaved(page);
  await page.goBack();
  await expectTaskNumber(1);
  await expect(page.locator(".bar .scenario"), "the title of the task").toHaveText(/Which node/);
  await page.goForward();
  await expectTaskNumber(2);
  await question.getByRole("button", { name: "Succeeded" }).click();
  await t.waitUntilSettled(page);
  await t.waitUntilSaved(page);
  await page.reload();
  await expect(dialog).toBeVisible({ timeout: 60_000 });
  await dialog.getByRole("button", { name: "Close" }).click();
  await expectTaskNumber(2);
  await expect(page.locator(".bar .scenario")).toHaveText(/What phase does it end in\?/);
  await expect(story.getByText("You said Succeeded"), "the answer is kept").toBeVisible();
  await expect(question).toHaveCount(0);
});
