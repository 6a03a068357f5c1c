// The course: ticks, where to go on, saved and loaded again; a lesson from its first press to the next one. E-08, E-10.

/** Puts finished lessons on the device, once. */
const finished = (...names) => async (page) => {
  await page.addInitScript((names) => {
    const key = `podscope:${location.pathname.replace(/\/[^/]*$/, "")}/course`;
    localStorage.setItem(key, localStorage.getItem(key) ?? names.map((name) => `${name} ${Date.now()} 0\n`).join(""));
  }, names);
};

/** The map of the course, over whatever is open. */
const map = async (page, title) => {
  await page.getByRole("button", { name: title }).first().click();
  return page.getByRole("region", { name: "The course" });
};

export const stories = {
  async "the course ticks what is done, goes on there, is saved, forgotten and loaded again (E-08)"(t) {
    const page = await t.open("#lesson=scheduling-gates", { before: finished("first-pod", "requests-not-usage") });
    const course = await map(page, "Not yet");
    await course.getByText(/^2 of \d+ done$/).waitFor();
    t.equal(await page.locator("[data-lesson] .tick").count(), 2, "ticks");
    await page.getByText(/^First steps · 2 of/).waitFor();
    await course.locator('[data-continue="taints-and-tolerations"]').waitFor();
    await t.look(page, "course");

    const { name, bytes } = await t.download(page, () => course.getByRole("button", { name: "Save as a file" }).click());
    t.equal(name, "podscope-course.txt", "the file's name");
    await course.getByRole("button", { name: "Forget it" }).click();
    await course.getByText(/^0 of/).waitFor();
    t.equal(await page.locator("[data-lesson] .tick").count(), 0, "no ticks");
    await course.getByRole("button", { name: "Begin: Your first pod" }).waitFor();

    const load = (buffer) => course.getByLabel("Load a file").setInputFiles({ name, mimeType: "text/plain", buffer });
    await load(Buffer.from("kind: Pod\n"));
    await page.getByText("No finished lesson stands in that file").waitFor();
    await load(bytes);
    await page.getByText("2 finished lessons were loaded").waitFor();
    await course.getByText(/^2 of/).waitFor();

    // It is kept, and goes on where it stopped.
    await page.reload();
    await t.ready(page);
    const again = await map(page, "Not yet");
    await again.getByText(/^2 of/).waitFor();
    await again.locator("[data-continue]").click();
    await page.getByRole("complementary", { name: "Story" }).getByText("Keep out, unless you may").waitFor();
  },

  async "a lesson is shown, begun anew, solved by hints, ticked, and leads to the next one (E-07, E-08)"(t) {
    const page = await t.open("#lesson=readiness-gates");
    const story = page.getByRole("complementary", { name: "Story" });
    const end = story.getByRole("region", { name: "The end of the lesson" });
    await page.getByLabel("Speed").fill("6");
    await story.getByText("All containers of").waitFor();
    const next = story.getByRole("button", { name: "Next" });
    t.check(await next.isDisabled(), "the goal is not reached");
    await story.getByText(/Next waits for: gated is ready/).waitFor();

    await story.getByRole("button", { name: "Show me" }).click();
    await next.click();
    await end.waitFor();
    await end.getByText("lets somebody outside the pod have a say").waitFor();

    await story.getByRole("button", { name: "Start over" }).click();
    await end.waitFor({ state: "detached" });
    await story.getByText("All containers of").waitFor();
    t.equal(await story.locator(".goals li.met").count(), 0, "nothing is reached yet");
    await story.getByRole("button", { name: "Hint 1 of 2" }).click();
    await story.getByText("kubectl has a flag of that name").waitFor();
    await story.getByRole("button", { name: "Hint 2 of 2" }).click();
    await story.getByTitle("Run it").click();
    await next.click();
    await end.waitFor();
    await t.look(page, "end-of-a-lesson");

    const course = await map(page, "Readiness gates");
    await course.getByText(/^1 of/).waitFor();
    await page.locator('[data-lesson="readiness-gates"] .tick').waitFor();
    await page.keyboard.press("Escape");
    await end.getByRole("button", { name: "Next lesson: CrashLoopBackOff" }).click();
    await story.getByRole("heading", { name: "CrashLoopBackOff" }).waitFor();
  },

  async "a term of a story opens its sentence, and all of them (E-08)"(t) {
    const page = await t.open("#lesson=first-pod");
    const story = page.getByRole("complementary", { name: "Story" });
    await story.getByRole("button", { name: "cluster", exact: true }).click();
    const meaning = story.getByRole("note");
    await meaning.getByText("Machines that run containers together").waitFor();
    await meaning.getByRole("button", { name: "All terms" }).click();
    await page.getByRole("dialog").getByText("It is never taken back").waitFor();
    await t.look(page, "glossary");
  },

  async "a lesson that was recorded opens from its file, and is played to its end (E-10)"(t) {
    const page = await t.open("#new");
    await page.getByRole("button", { name: "Files" }).first().click();
    await page.getByRole("button", { name: "Record a lesson" }).click();
    const strip = page.getByRole("region", { name: "A lesson is being recorded" });
    await strip.waitFor();
    await t.command(page, "kubectl cordon a-1");
    await page.locator('[data-select-node="a-1"]').click();
    await page.getByRole("button", { name: "unschedulable: true" }).click();
    await strip.getByText("Node a-1 is cordoned").waitFor();
    const { bytes } = await t.download(page, () => strip.getByRole("button", { name: "Save the lesson" }).click());
    await strip.getByRole("button", { name: "Stop" }).click();

    await t.openFiles(page, { "mine.yaml": bytes.toString() });
    const story = page.getByRole("complementary", { name: "Story" });
    await story.getByText("Say what has happened, and what is to be done now.").waitFor();
    t.equal(await story.locator(".goals li.met").count(), 0, "nothing is reached yet");
    await story.getByRole("button", { name: "Hint 1 of 1" }).click();
    await story.getByTitle("Run it").click();
    await story.getByRole("button", { name: "Next" }).click();
    await story.getByText("Say what was reached, and why it came so.").waitFor();
    await story.getByRole("region", { name: "The end" }).getByText("All goals reached").waitFor();
    await t.look(page, "recorded-lesson-played");
  },
};
