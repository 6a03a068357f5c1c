// Practice tasks, a custom course, an exam, and messages between an embedded lesson and the page around it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chooseFromMore } from "../actions.mjs";
import { serve } from "../site.mjs";
import { expect, test } from "../test.mjs";
import { ROOT } from "../tools.mjs";

const COURSE = `
apiVersion: podscope.dev/v1alpha1
kind: Course
metadata: {name: week-1}
spec:
  title: Scheduling, first week
  lessons: [first-pod, {practice: which-node, seed: 5, level: 1}]
  texts: {first-pod: "Read **chapter 1** first."}
  showMe: false
`;

/** Opens a course file that lies beside the site's files. */
const openCourse = (t, text) => t.open("?course=week.yaml", {
  before: (page) => page.route("**/week.yaml", (route) => route.fulfill({ contentType: "application/yaml", body: text })),
});

const readStoredValue = (page, key) => page.evaluate((key) =>
  localStorage.getItem(`podscope:${location.pathname.replace(/\/[^/]*$/, "")}/${key}`), key);

// Shows: E-11
test("a practice task is generated from its seed, explains each answer, and is due again tomorrow", async ({ t }) => {
  const page = await t.open("#practice=which-node&seed=7&level=2");
  const story = page.getByRole("complementary", { name: "Story" });
  const question = story.getByRole("region", { name: "A question" });
  await expect(question.getByText("Which node can take")).toBeVisible({ timeout: 60_000 });
  const end = story.getByRole("region", { name: "The end of the task" });
  await expect(end, "the rule is not shown before the answer").toHaveCount(0);
  expect(await readStoredValue(page, "practice"), "nothing is recorded before the answer").toBe(null);
  await t.checkLooks(page, "practice");
  const text = await story.innerText();
  await question.getByRole("button", { name: "a-1" }).click();
  await expect(end.getByText("A node must have room")).toBeVisible({ timeout: 60_000 });
  await end.getByText("Every answer, and why").click();
  await expect(end.locator("dt")).toHaveText(["a-1", "b-1", "c-1"]);
  await expect(end.locator("dd").filter({ hasText: /\w/ })).toHaveCount(3);
  await expect.poll(() => readStoredValue(page, "practice")).toMatch(/^last which-node\nwhich-node \d+ 1 /);
  await end.getByRole("button", { name: "All topics" }).click();
  const topic = page.locator('[data-practice="which-node"]');
  await expect(topic.getByText("tomorrow")).toBeVisible();
  await t.checkLooks(page, "practice-topics");
  await page.keyboard.press("Escape");

  // Another page with the same address shows the same task.
  const again = await t.open("#practice=which-node&seed=7&level=2");
  await expect(again.getByRole("region", { name: "A question" })).toBeVisible({ timeout: 60_000 });
  expect(await again.getByRole("complementary", { name: "Story" }).innerText()).toBe(text);
});

// Shows: E-13
test("a custom course lists its lessons, applies its settings and saves a file to hand in", async ({ t }) => {
  const page = await openCourse(t, COURSE);
  const course = page.getByRole("dialog", { name: "Scheduling, first week" });
  await expect(course.getByText("chapter 1")).toBeVisible({ timeout: 60_000 });
  await expect(course.getByText("0 of 2 done")).toBeVisible();
  await t.checkLooks(page, "own-course");
  await course.locator('[data-item="1"]').click();
  const story = page.getByRole("complementary", { name: "Story" });
  const question = story.getByRole("region", { name: "A question" });
  await expect(story.getByText("Scheduling, first week · 2 of 2")).toBeVisible({ timeout: 60_000 });
  await expect(story.getByRole("button", { name: "Show me" }), "the course turns it off").toHaveCount(0);
  await question.getByRole("button", { name: "b-1" }).click();
  await story.getByText("Scheduling, first week · 2 of 2").click();
  await expect(course.getByText("1 of 2 done")).toBeVisible({ timeout: 60_000 });
  await course.getByLabel("Your name or number").fill("Ada");
  const { name, bytes } = await t.download(page, () => course.getByRole("button", { name: "Save the file to hand in" }).click());
  expect(name).toBe("week-1-Ada.json");
  const handedIn = JSON.parse(bytes.toString());
  expect(handedIn.name).toBe("Ada");
  expect(handedIn.lessons).toHaveLength(1);
  expect(handedIn.lessons[0].run).toMatch(/^#s1:/);

  // The attempts survive a reload.
  const again = await page.context().newPage();
  await again.route("**/week.yaml", (route) => route.fulfill({ contentType: "application/yaml", body: COURSE }));
  await again.goto(`${t.url}?course=week.yaml`);
  await expect(again.getByText("1 of 2 done")).toBeVisible({ timeout: 60_000 });
});

// Shows: E-13
test("files that a class handed in are replayed, and the most frequent wrong answer is shown", async ({ t }) => {
  const page = await openCourse(t, COURSE);
  const course = page.getByRole("dialog", { name: "Scheduling, first week" });
  await course.locator('[data-item="1"]').click({ timeout: 60_000 });
  const story = page.getByRole("complementary", { name: "Story" });
  await story.getByRole("region", { name: "A question" }).getByRole("button", { name: "b-1" }).click({ timeout: 60_000 });
  await story.getByText("Scheduling, first week · 2 of 2").click();
  await expect(course.getByText("1 of 2 done")).toBeVisible({ timeout: 60_000 });
  const { bytes } = await t.download(page, () => course.getByRole("button", { name: "Save the file to hand in" }).click());
  await page.keyboard.press("Escape");
  await chooseFromMore(page, "Class");
  const classView = page.getByRole("dialog", { name: "Class" });
  const honestFile = JSON.parse(bytes.toString());
  const files = { "ada.json": honestFile, "bob.json": { ...honestFile, name: "Bob", lessons: [{ ...honestFile.lessons[0], lesson: "first-pod" }] }, "eve.json": "{" };
  await classView.getByLabel("Choose files").setInputFiles(Object.entries(files).map(([name, file]) =>
    ({ name, mimeType: "application/json", buffer: Buffer.from(typeof file === "string" ? file : JSON.stringify(file)) })));
  await expect(classView.getByRole("row")).toHaveCount(3, { timeout: 60_000 });
  await expect(classView.getByRole("cell", { name: "replayed" })).toHaveCount(1);
  await expect(classView.getByText("it is handed in as “Your first pod”, and the run is of “Which node can take it?”")).toBeVisible();
  await expect(classView.locator(".problems").getByText("eve.json")).toBeVisible();
  await expect(classView.getByRole("region", { name: "Most frequent wrong answers" })).toHaveText(/Which node can take it\?: Which node can take p\?/);
  await t.checkLooks(page, "class");
  await classView.getByRole("button", { name: /^Open the run of Which node can take it\? by/ }).first().click();
  await expect(page.getByRole("complementary", { name: "Story" }).getByText("A pod p requests 2 cpu")).toBeVisible();
});

// Shows: E-13
test("the class view of a fresh browser counts the goals of a partly solved lesson", async ({ t }) => {
  const page = await openCourse(t, COURSE);
  const course = page.getByRole("dialog", { name: "Scheduling, first week" });
  await course.locator('[data-item="0"]').click({ timeout: 60_000 });
  const story = page.getByRole("complementary", { name: "Story" });
  const position = story.getByText("Scheduling, first week · 1 of 2");
  await expect(position).toBeVisible({ timeout: 60_000 });
  await t.command(page, "kubectl run hello --image=nginx");
  await expect(story.locator(".goals li.met").first()).toBeVisible();
  await position.click();
  const { name, bytes } = await t.download(page, () => course.getByRole("button", { name: "Save the file to hand in" }).click());

  // This browser has opened no lesson before.
  const teacherPage = await t.open("#new");
  await chooseFromMore(teacherPage, "Class");
  const classView = teacherPage.getByRole("dialog", { name: "Class" });
  await classView.getByLabel("Choose files").setInputFiles({ name, mimeType: "application/json", buffer: bytes });
  const lessonRow = classView.getByRole("row", { name: /Your first pod/ });
  await expect(lessonRow.getByRole("cell", { name: "replayed" })).toBeVisible({ timeout: 60_000 });
  await expect(lessonRow.getByRole("cell", { name: /^[12]\/3$/ })).toBeVisible();
});

// Shows: E-13
test("an invalid course file is refused with the error and its position", async ({ t }) => {
  const page = await openCourse(t, COURSE.replace("first-pod, {practice", "frist-pod, {practice"));
  const refused = page.getByRole("dialog", { name: "This cannot be opened" });
  await expect(refused.getByText('there is no lesson "frist-pod"')).toBeVisible({ timeout: 60_000 });
});

// Shows: E-12
test("the clock of an exam survives a reload, and the exam ends with a result", async ({ t }) => {
  const page = await t.open("?course=exam-scheduling");
  const exam = page.getByRole("dialog", { name: "Exam: scheduling and life cycle" });
  await expect(exam.locator("[data-item]")).toHaveCount(16, { timeout: 60_000 });
  await expect(exam.locator('[data-item="0"]'), "closed before it begins").toBeDisabled();
  await exam.getByRole("button", { name: "Begin the exam" }).click();
  await expect(exam.getByText("90 minutes left")).toBeVisible();
  await t.checkLooks(page, "exam");
  await page.reload();
  // How many minutes have passed depends on the speed of the test machine.
  await expect(exam.getByText(/\d\d minutes left/)).toBeVisible({ timeout: 60_000 });
  await exam.locator('[data-item="1"]').click();
  const story = page.getByRole("complementary", { name: "Story" });
  await expect(story.getByText(/· 2 of 16 · \d\d minutes left/)).toBeVisible({ timeout: 60_000 });
  const wrongAnswer = story.getByRole("region", { name: "A question" }).getByRole("button", { name: "I don't know" });
  await wrongAnswer.click();
  await story.getByText(/· 2 of 16/).click();
  await exam.getByRole("button", { name: "End the exam" }).click();
  await exam.getByRole("button", { name: "End it" }).click();
  await expect(exam.getByText("Not passed: 0 % of the points; 66 % are asked.")).toBeVisible();
});

// Shows: E-14
test("an embedded lesson exchanges messages only with the origin that its address names", async ({ t }) => {
  const element = readFileSync(join(ROOT, "crates/js/npm/lesson.js"), "utf8");
  // A page of another origin: the same site on another port. Its index page embeds the lesson.
  const framingSite = await serve();
  framingSite.change("index.html", () => `<title>around</title><podscope-lesson site="${t.url}" lesson="first-pod"></podscope-lesson><script type="module">
      window.received = [];
      document.addEventListener("podscope", ({ detail }) => received.push(detail));
      ${element}</script>`);
  t.allowComplaint(/another origin/);
  const page = await t.open("#new");
  await page.goto(framingSite.url);
  const received = () => page.evaluate(() => window.received.map((message) => message.type));
  await expect.poll(received, { timeout: 60_000 }).toContain("step");
  expect(await received()).toContain("ready");
  expect(await received()).toContain("size");
  const sendToLesson = (request) => page.evaluate((request) => document.querySelector("podscope-lesson").ask(request), request);
  await sendToLesson({ do: "open", lesson: "keep-three" });
  await expect.poll(() => page.evaluate(() => window.received.some(({ lesson }) => lesson === "keep-three")), { timeout: 60_000 }).toBe(true);
  await sendToLesson({ do: "theme", name: "dark" });
  const lessonFrame = page.frames().find((frame) => frame.url().startsWith(t.url));
  await expect.poll(() => lessonFrame.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");

  // Without the parameter `post` in its address the lesson neither sends nor accepts messages.
  await page.evaluate(() => { window.received.length = 0; });
  await page.evaluate((src) => { document.querySelector("iframe").src = src; }, `${t.url}?silent#lesson=first-pod&embed=story,cluster`);
  const silentFrame = page.frameLocator("iframe");
  await expect(silentFrame.getByRole("complementary", { name: "Story" })).toBeVisible({ timeout: 60_000 });
  expect(await received()).toEqual([]);
  framingSite.close();
});

// Shows: E-15
test("a lesson is printed as a worksheet, with the answers on a separate page", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.getByRole("complementary", { name: "Story" })).toBeVisible();
  await chooseFromMore(page, "Worksheet");
  const worksheet = page.getByRole("dialog", { name: "Your first pod" });
  await expect(worksheet.getByRole("heading", { name: "Answers" })).toBeVisible();
  await expect(worksheet.getByText("☐").first()).toBeVisible();
  await expect(worksheet.getByRole("img", { name: /^A code that opens .*#lesson=first-pod$/ })).toBeVisible();
  await t.checkLooks(page, "worksheet");
  const pdf = (await page.pdf()).toString("latin1");
  expect(pdf.match(/\/Type\s*\/Page\b/g)?.length, "pages").toBeGreaterThan(1);
  await page.emulateMedia({ media: "print" });
  await expect(page.locator(".bar")).toBeHidden();
  await expect(worksheet.getByRole("button", { name: "Print" })).toBeHidden();
});
