// The course: progress, where to continue, saving and loading; one lesson from its start to the next lesson.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

/** Marks lessons as finished in the browser's storage, unless progress is stored already. */
const storeFinishedLessons = (...names) => async (page) => {
  await page.addInitScript((names) => {
    const storageKey = `podscope:${location.pathname.replace(/\/[^/]*$/, "")}/course`;
    localStorage.setItem(storageKey, localStorage.getItem(storageKey) ?? names.map((name) => `${name} ${Date.now()} 0\n`).join(""));
  }, names);
};

/** Opens the overview of the course. */
const openCourse = async (page, title) => {
  await page.getByRole("button", { name: title }).first().click();
  return page.getByRole("region", { name: "The course" });
};

// Shows: E-08
test("course progress is shown, survives a reload, and can be saved, cleared and loaded", async ({ t }) => {
  const page = await t.open("#lesson=scheduling-gates", { before: storeFinishedLessons("first-pod", "keep-three") });
  const course = await openCourse(page, "Not yet");
  await expect(course.getByText(/^2 of \d+ done$/)).toBeVisible();
  await expect(page.locator("[data-lesson] .tick"), "ticks").toHaveCount(2);
  await expect(page.getByText(/^From Docker to Kubernetes · 2 of/)).toBeVisible();
  await expect(course.locator('[data-continue="scale-and-watch"]')).toBeVisible();
  await t.checkLooks(page, "course");

  const { name, bytes } = await t.download(page, () => course.getByRole("button", { name: "Save as a file" }).click());
  expect(name, "the file's name").toBe("podscope-course.txt");
  await course.getByRole("button", { name: "Forget it" }).click();
  await expect(course.getByText(/^0 of/)).toBeVisible();
  await expect(page.locator("[data-lesson] .tick"), "no ticks").toHaveCount(0);
  await expect(course.getByRole("button", { name: "Begin: Your first pod" })).toBeVisible();

  const loadFile = (buffer) => course.getByLabel("Load a file").setInputFiles({ name, mimeType: "text/plain", buffer });
  await loadFile(Buffer.from("kind: Pod\n"));
  await expect(page.getByText("No finished lesson stands in that file")).toBeVisible();
  await loadFile(bytes);
  await expect(page.getByText("2 finished lessons were loaded")).toBeVisible();
  await expect(course.getByText(/^2 of/)).toBeVisible();

  // Progress survives a reload, and the course continues where it stopped.
  await page.reload();
  await t.waitUntilReady(page);
  const reopenedCourse = await openCourse(page, "Not yet");
  await expect(reopenedCourse.getByText(/^2 of/)).toBeVisible();
  await reopenedCourse.locator("[data-continue]").click();
  await expect(page.getByRole("complementary", { name: "Story" }).getByText("More of it")).toBeVisible();
});

// Shows: E-07, E-08
test("a lesson can be solved by 'Show me' or with hints, restarted, and leads to the next lesson", async ({ t }) => {
  const page = await t.open("#lesson=readiness-gates");
  const story = page.getByRole("complementary", { name: "Story" });
  const lessonEnd = story.getByRole("region", { name: "The end of the lesson" });
  await page.getByLabel("Speed").selectOption("6");
  await expect(story.getByText("All containers of")).toBeVisible();
  const nextButton = story.getByRole("button", { name: "Next" });
  await expect(nextButton, "Next is disabled before the goal is reached").toBeDisabled();
  await expect(story.getByText(/Next waits for: gated is ready/)).toBeVisible();

  await story.getByRole("button", { name: "Show me" }).click();
  await nextButton.click();
  await expect(lessonEnd).toBeVisible();
  await expect(lessonEnd.getByText("lets somebody outside the pod have a say")).toBeVisible();

  await story.getByRole("button", { name: "Start over" }).click();
  await expect(lessonEnd).toHaveCount(0);
  await expect(story.getByText("All containers of")).toBeVisible();
  await expect(story.locator(".goals li.met"), "no goal is reached yet").toHaveCount(0);
  await story.getByRole("button", { name: "Hint 1 of 2" }).click();
  await expect(story.getByText("kubectl has a flag of that name")).toBeVisible();
  await story.getByRole("button", { name: "Hint 2 of 2" }).click();
  await story.getByTitle("Run it").click();
  await nextButton.click();
  await expect(lessonEnd).toBeVisible();
  await t.checkLooks(page, "end-of-a-lesson");

  const course = await openCourse(page, "Readiness gates");
  await expect(course.getByText(/^1 of/)).toBeVisible();
  await expect(page.locator('[data-lesson="readiness-gates"] .tick')).toBeVisible();
  await page.keyboard.press("Escape");
  await lessonEnd.getByRole("button", { name: "Next lesson: CrashLoopBackOff" }).click();
  await expect(story.getByRole("heading", { name: "CrashLoopBackOff" })).toBeVisible();
});

// Shows: E-08
test("a term in a story opens its definition, which leads to the glossary", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  const story = page.getByRole("complementary", { name: "Story" });
  await story.getByRole("button", { name: "cluster", exact: true }).click();
  const definition = story.getByRole("note");
  await expect(definition.getByText("Machines that run containers together")).toBeVisible();
  await definition.getByRole("button", { name: "All terms" }).click();
  await expect(page.getByRole("dialog").getByText("It is never taken back")).toBeVisible();
  await t.checkLooks(page, "glossary");
});

// Shows: E-10
test("a recorded lesson can be opened from its file and completed", async ({ t }) => {
  const page = await t.open("#new");
  await chooseFromMore(page, "Files");
  await page.getByRole("button", { name: "Record a lesson" }).click();
  const recordingStrip = page.getByRole("region", { name: "A lesson is being recorded" });
  await expect(recordingStrip).toBeVisible();
  await t.command(page, "kubectl cordon a-1");
  await page.locator('[data-select-node="a-1"]').click();
  await page.getByRole("button", { name: "unschedulable: true" }).click();
  await expect(recordingStrip.getByText("Node a-1 is cordoned")).toBeVisible();
  const { bytes } = await t.download(page, () => recordingStrip.getByRole("button", { name: "Save the lesson" }).click());
  await recordingStrip.getByRole("button", { name: "Stop" }).click();

  await t.openFiles(page, { "mine.yaml": bytes.toString() });
  const story = page.getByRole("complementary", { name: "Story" });
  await expect(story.getByText("Say what has happened, and what is to be done now.")).toBeVisible();
  await expect(story.locator(".goals li.met"), "no goal is reached yet").toHaveCount(0);
  await story.getByRole("button", { name: "Hint 1 of 1" }).click();
  await story.getByTitle("Run it").click();
  await story.getByRole("button", { name: "Next" }).click();
  await expect(story.getByText("Say what was reached, and why it came so.")).toBeVisible();
  await expect(story.getByRole("region", { name: "The end" }).getByText("All goals reached")).toBeVisible();
  await t.checkLooks(page, "recorded-lesson-played");
});
