// An earlier question comes back on a later visit, on another seed; a lesson is recorded. E-08, E-10.

export const stories = {
  async "after a day an earlier question is asked again on another seed (E-08)"(t) {
    const day = 86_400_000;
    const done = Date.UTC(2026, 5, 1);
    const page = await t.open("", {
      before: async (page) => {
        await page.clock.install({ time: done + day / 2 });
        await page.addInitScript((done) => {
          const key = `podscope:${location.pathname.replace(/\/[^/]*$/, "")}/course`;
          localStorage.setItem(key, localStorage.getItem(key) ?? `graceful-termination ${done} 0\nprestop-overrun ${done} 0\n`);
        }, done);
      },
    });
    const strip = page.getByRole("region", { name: "Asked again" });
    t.equal(await strip.count(), 0, "half a day later nothing is asked");
    await page.clock.setFixedTime(done + 1.1 * day);
    await page.reload();
    await t.ready(page);
    await strip.getByText("Do you still know?").waitFor();
    await t.look(page, "recap");
    await strip.getByRole("button", { name: "Ask me" }).click();
    const question = page.getByRole("region", { name: "A question" });
    await question.getByText("Time waits").waitFor();
    await t.look(page, "recap-question");
    t.equal(await strip.count(), 0, "asked once");
  },

  async "it is asked after one, three and seven days, and then no more (E-08)"(t) {
    const day = 86_400_000;
    const done = Date.UTC(2026, 5, 1);
    const page = await t.open("#new", {
      before: async (page) => {
        await page.clock.install({ time: done });
        await page.addInitScript((done) => {
          const key = `podscope:${location.pathname.replace(/\/[^/]*$/, "")}/course`;
          localStorage.setItem(key, localStorage.getItem(key) ?? `graceful-termination ${done} 0\n`);
        }, done);
      },
    });
    const strip = page.getByRole("region", { name: "Asked again" });
    for (const [days, isDue] of [[1.1, true], [2.9, false], [3.1, true], [6.9, false], [7.1, true], [30, false]]) {
      await page.clock.setFixedTime(done + days * day);
      await page.goto(`${t.url}?day=${days}#new`);
      await t.ready(page);
      await page.locator("[data-zone] [data-node]").first().waitFor();
      if (isDue) {
        await strip.getByRole("button", { name: "Ask me" }).click();
        const question = page.getByRole("region", { name: "A question" });
        await question.getByText("Time waits").waitFor();
      } else {
        t.equal(await strip.count(), 0, `after ${days} days nothing is asked`);
      }
    }
  },

  async "fields that are pressed become the goals of a recorded lesson (E-10)"(t) {
    const page = await t.open("");
    await page.getByRole("button", { name: "Free play" }).click();
    await page.getByRole("button", { name: "Files" }).first().click();
    await page.getByRole("button", { name: "Record a lesson" }).click();
    const strip = page.getByRole("region", { name: "A lesson is being recorded" });
    await strip.waitFor();
    await t.command(page, "kubectl cordon a-1");
    await page.locator('[data-select-node="a-1"]').click();
    await page.getByText("Press a field to make it a goal").waitFor();
    await page.getByRole("button", { name: "unschedulable: true" }).click();
    await strip.getByText("Node a-1 is cordoned").waitFor();
    await t.look(page, "recorded");
    const { bytes } = await t.download(page, () => strip.getByRole("button", { name: "Save the lesson" }).click());
    const text = bytes.toString();
    t.check(/equals: true/.test(text) && /kubectl cordon a-1/.test(text), "the goal and the command are in the file");
  },
};
