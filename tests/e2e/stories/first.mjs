// The first minute of a visit: a running cluster, a cut link, the state in the API, two processes with one name.
// Shows: U-10
import { expect, test } from "../test.mjs";

test("a few clicks lead from a first visit to a split brain", async ({ t }) => {
  const page = await t.open("");
  await expect(page.locator("[data-pod]")).toHaveCount(7);
  await expect(page.locator(".start button:visible")).toHaveText(["Cut a node off", "Start the course", "My pod is Pending", ""]);
  await page.getByRole("button", { name: "Cut a node off" }).click();
  const story = page.getByRole("region", { name: "Story" });
  await expect(story).toContainText("c-2 is cut off");
  await expect(page.locator(".con"), "time runs").not.toContainText("Time stands still");
  const forwardButton = page.locator("[data-forward]");
  await expect(forwardButton).toContainText("NotReady", { timeout: 30_000 });
  // The button runs time fast to the event that it names. The rolling update continues, so the button may name an
  // earlier event before the click arrives. The run then pauses at that event, and the button names NotReady again.
  await expect(async () => {
    if (!(await story.textContent()).includes("nobody knows")) await forwardButton.filter({ hasText: "NotReady" }).click({ timeout: 2_000 });
    await expect(story).toContainText("NotReady: nobody knows", { timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
  await story.getByRole("button", { name: "Force delete db-0" }).click();
  await page.getByRole("button", { name: "I understand, do it" }).click();
  await expect(story).toContainText("Two processes, one name", { timeout: 30_000 });
  await expect(forwardButton).toContainText("Heal c-2");
  await t.checkLooks(page, "split-brain");
  const { width, height } = page.viewportSize();
  for (const size of [[320, 640], [390, 844], [width, height]]) {
    await t.resize(page, ...size);
    // The stage is laid out a second time, after the page has measured its size.
    await expect.poll(() => page.evaluate(() => {
      const { top } = document.querySelector(".brief").getBoundingClientRect();
      return [...document.querySelectorAll(".zone .pod.breaks")].filter((pod) => pod.getBoundingClientRect().bottom > top + 1).map((pod) => pod.dataset.pod);
    }), { message: `the story covers no process at ${size}` }).toEqual([]);
  }
  await forwardButton.click();
  await expect(story).toContainText("A force delete frees the name and asks nobody", { timeout: 30_000 });
  await expect(forwardButton, "a finished story suggests no command").not.toContainText("Heal c-2");
  await story.getByRole("button", { name: "Start the course" }).click();
  await expect(page.getByRole("heading", { name: "Your first pod", exact: true })).toBeVisible();
});

// Shows: E-01
test("'Cut a node off' opens a lesson that continues in the first visit's cluster", async ({ t }) => {
  const page = await t.open("");
  await expect(page.locator("[data-pod]")).toHaveCount(7);
  const podUids = () => page.locator("[data-pod]").evaluateAll((pods) => pods.map((pod) => pod.dataset.uid).sort());
  const before = await podUids();
  await page.getByRole("button", { name: "Cut a node off" }).click();
  await expect(page).toHaveTitle(/^Cut a node off/);
  await expect(page.locator(".story")).toHaveCount(0);
  await t.seek(page, "0:10.0");
  expect(await podUids(), "the lesson goes on with the same pods").toEqual(before);

  const lessonPage = await t.open("#lesson=cut-a-node-off");
  const story = lessonPage.getByRole("region", { name: "Story" });
  await expect(story).toContainText("Cut off c-2, where the database db-0 runs");
  await expect(lessonPage.locator("[data-pod]")).toHaveCount(7);
  await expect(story.getByRole("button", { name: "fault partition c-2" })).toBeVisible();
  await lessonPage.getByTitle("Lessons and scenarios (l)").click();
  await expect(lessonPage.getByRole("dialog").getByRole("button", { name: /Cut a node off/ })).toBeVisible();
});

test("closing the introduction leads to free play without a story", async ({ t }) => {
  const page = await t.open("");
  await expect(page.locator("[data-pod]")).toHaveCount(7);
  await page.getByRole("button", { name: "Close this" }).click();
  await expect(page.locator(".start")).toHaveCount(0);
  await t.seek(page, "1:00.0");
  await expect(page.getByRole("region", { name: "Story" })).toHaveCount(0);
});

test("#new opens a cluster without a story, and no command runs by itself", async ({ t }) => {
  const page = await t.open("#new");
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Story" })).toHaveCount(0);
  await expect(page.locator(".start")).toHaveCount(0);
  await t.seek(page, "0:20.0");
  await expect(page.locator('[data-lane="commands"] .ev')).toHaveCount(0);
});

// Shows: U-23
test("events are announced to screen readers, with counts, while time runs", async ({ t }) => {
  const page = await t.open("");
  const announcements = page.locator(".heard");
  await expect(announcements).toContainText(/\d+ pods got a node|is bound|→/, { timeout: 60_000 });
  await expect(announcements).toHaveAttribute("aria-live", "polite");
});

test("the lesson search keeps the focus while the user types", async ({ t }) => {
  const page = await t.open("#new");
  await page.getByTitle("Lessons and scenarios (l)").click();
  await page.getByLabel("Find a lesson").pressSequentially("preempt");
  await expect(page.getByLabel("Find a lesson")).toBeFocused();
  await expect(page.getByLabel("Find a lesson")).toHaveValue("preempt");
});

test("an unchanged lesson is shared with its short link", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator(".story")).toBeVisible();
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByLabel("Link", { exact: true })).toHaveValue(/#lesson=first-pod$/);
});

test("the editor and the paste dialog open with the focus in their text field", async ({ t }) => {
  const page = await t.open("");
  await page.keyboard.press("e");
  await expect(page.locator(".editor .cm-content")).toBeFocused();
  await page.keyboard.press("Escape");
  await page.locator(".start").getByRole("button", { name: "My pod is Pending" }).click();
  await expect(page.getByLabel("Paste your cluster here")).toBeFocused();
});
