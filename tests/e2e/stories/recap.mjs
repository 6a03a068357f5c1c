// An earlier question is repeated on a later visit with another seed; a lesson is recorded.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

// Shows: E-08
test("an earlier question is asked again after a day, with another seed", async ({ t }) => {
  const day = 86_400_000;
  const finishedAt = Date.UTC(2026, 5, 1);
  const page = await t.open("", {
    before: async (page) => {
      await page.clock.install({ time: finishedAt + day / 2 });
      await page.addInitScript((finishedAt) => {
        const key = `podscope:${location.pathname.replace(/\/[^/]*$/, "")}/course`;
        localStorage.setItem(key, localStorage.getItem(key) ?? `graceful-termination ${finishedAt} 0\nprestop-overrun ${finishedAt} 0\n`);
      }, finishedAt);
    },
  });
  const strip = page.getByRole("region", { name: "Asked again" });
  await expect(strip, "no question after half a day").toHaveCount(0);
  await page.clock.setFixedTime(finishedAt + 1.1 * day);
  await page.reload();
  await t.waitUntilReady(page);
  await expect(strip.getByText("Do you still know?")).toBeVisible();
  await t.checkLooks(page, "recap");
  await strip.getByRole("button", { name: "Ask me" }).click();
  const question = page.getByRole("region", { name: "A question" });
  await expect(question.getByText("Time waits")).toBeVisible();
  await t.checkLooks(page, "recap-question");
  await expect(strip, "the question is asked once").toHaveCount(0);
});

// Shows: E-08
test("a question is repeated only after one, three and seven days", async ({ t }) => {
  const day = 86_400_000;
  const finishedAt = Date.UTC(2026, 5, 1);
  const page = await t.open("#new", {
    before: async (page) => {
      await page.clock.install({ time: finishedAt });
      await page.addInitScript((finishedAt) => {
        const key = `podscope:${location.pathname.replace(/\/[^/]*$/, "")}/course`;
        localStorage.setItem(key, localStorage.getItem(key) ?? `graceful-termination ${finishedAt} 0\n`);
      }, finishedAt);
    },
  });
  const strip = page.getByRole("region", { name: "Asked again" });
  for (const [days, isDue] of [[1.1, true], [2.9, false], [3.1, true], [6.9, false], [7.1, true], [30, false]]) {
    await page.clock.setFixedTime(finishedAt + days * day);
    await page.goto(`${t.url}?day=${days}#new`);
    await t.waitUntilReady(page);
    await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
    if (isDue) {
      await strip.getByRole("button", { name: "Ask me" }).click();
      const question = page.getByRole("region", { name: "A question" });
      await expect(question.getByText("Time waits")).toBeVisible();
    } else {
      await expect(strip, `no question after ${days} days`).toHaveCount(0);
    }
  }
});

// Shows: E-10
test("clicked YAML fields become the goals of a recorded lesson", async ({ t }) => {
  const page = await t.open("#new");
  await chooseFromMore(page, "Files");
  await page.getByRole("button", { name: "Record a lesson" }).click();
  const strip = page.getByRole("region", { name: "A lesson is being recorded" });
  await expect(strip).toBeVisible();
  await t.command(page, "kubectl cordon a-1");
  await page.locator('[data-select-node="a-1"]').click();
  await expect(page.getByText("Press a field to make it a goal")).toBeVisible();
  await page.getByRole("button", { name: "unschedulable: true" }).click();
  await expect(strip.getByText("Node a-1 is cordoned")).toBeVisible();
  await t.checkLooks(page, "recorded");
  const { bytes } = await t.download(page, () => strip.getByRole("button", { name: "Save the lesson" }).click());
  const text = bytes.toString();
  expect(/equals: true/.test(text) && /kubectl cordon a-1/.test(text), "the goal and the command are in the file").toBeTruthy();
});
