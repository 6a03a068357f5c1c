// Saved sessions survive reloads, crashes, invalid links and other tabs.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const savedSessions = (page) => page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.includes("/session.")).sort().join("|"));

/** Opens a page whose session has one command and is saved in the browser. */
const openSavedSession = async (t) => {
  const page = await t.open("");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault poweroff c-2");
  await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  await t.waitUntilSaved(page);
  return page;
};

// Shows: U-18
test("a first visit without any action starts again after a reload", async ({ t }) => {
  const statesBeforeReload = [
    async () => {},
    (page) => expect(page.locator("[data-node]").first()).toBeVisible(),
    (page) => t.waitUntilSettled(page),
    (page) => expect(page.locator(".page")).toHaveAttribute("data-now", /^0:1[3-9]/),
  ];
  for (const reachState of statesBeforeReload) {
    const page = await t.open("");
    await reachState(page);
    await page.reload();
    await expect(page.locator("[data-zone] [data-node] [data-pod]").nth(6)).toBeVisible();
    await expect(page.locator(".start")).toBeVisible();
    await expect(page.locator('.page[data-playing="true"]')).toBeVisible();
  }
});

// Shows: U-12, T-08
test("a reloaded lesson restores its step, answers and open question", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  const story = page.getByRole("complementary", { name: "Story" });
  await story.getByRole("button", { name: /kubectl run hello/ }).click();
  await story.getByRole("button", { name: "Next" }).click();
  // The pod runs, and time is paused until the question of the third step is answered. The forward button leads to the
  // question, unless the story has turned to it already.
  await expect(page.locator("[data-forward]")).toContainText("Answer first");
  await page.locator("[data-forward]").click();
  await expect(story.getByText("3 of 4")).toBeVisible();
  await t.waitUntilSaved(page);
  await page.reload();
  await expect(story.getByText("3 of 4")).toBeVisible();
  const option = story.getByRole("region", { name: "A question" }).getByRole("button", { name: "1", exact: true });
  await expect(option).toBeVisible();
  await t.waitUntilSaved(page);
  await page.reload();
  await option.click();
  await expect(story.getByText("You said 1")).toBeVisible();
  await t.waitUntilSaved(page);
  await page.reload();
  await expect(story.getByText("You said 1")).toBeVisible();
});

// Shows: U-18
test("the start card can be opened in a lesson and leads to free play", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator(".story").getByRole("heading", { name: "Your first pod" })).toBeVisible();
  await page.getByRole("button", { name: /^Podscope: what this is/ }).click();
  await page.locator(".start").getByRole("button", { name: /Free play/ }).click();
  await expect(page.locator('[data-node="c-2"]')).toBeVisible();
  await expect(page.locator(".scenario")).toContainText("Free play");
});

// Shows: T-08
test("a link that cannot be opened does not change the saved session", async ({ t }) => {
  const page = await openSavedSession(t);
  const before = await savedSessions(page);
  for (const bad of ["#s1:AAAA", "#s99:AAAA", "#lesson=no-such-lesson", "?scenario=no-such-file.yaml", "?scenario=another.yaml", "?scenario=a-third.yaml"]) {
    await page.goto(`${t.url}${bad}`);
    await page.reload();
    await t.waitUntilReady(page);
    await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
    expect(await savedSessions(page), `${bad}: the session is still there`).toContain(before.split("|")[0].split(",")[1].slice(0, 40));
  }
});

// Shows: T-05
test("every action is saved, also if a reload follows immediately", async ({ t }) => {
  const page = await openSavedSession(t);
  // After a seek back in time and a reload, the later command still exists.
  await t.seek(page, "0:05.0");
  await t.waitUntilSaved(page);
  await page.reload();
  await expect(page.locator('.page[data-now="0:05.0"]')).toBeVisible();
  await expect(page.locator(".node.dark"), "the command lies in the future").toHaveCount(0);
  await t.seek(page, "0:20.1");
  await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  // A reload immediately after a command: the page has time to save before it is replaced.
  await t.command(page, "fault poweroff a-1");
  await expect(page.locator('.node.dark[data-node="a-1"]')).toBeVisible();
  await page.reload();
  await expect(page.locator('.node.dark[data-node="a-1"]')).toBeVisible();
  // Reloads while the engine is still seeking to the session's instant, and another one afterwards.
  for (const part of ["html", ".page", "[data-node]"]) {
    // A reload that interrupts an unfinished reload may fail with the error `Not attached`.
    await page.reload({ waitUntil: "commit" }).catch((error) => { if (!/Not attached/.test(error)) throw error; });
    await expect(page.locator(part).first()).toBeAttached();
  }
  await page.reload();
  await expect(page.locator('.node.dark[data-node="a-1"]')).toBeVisible();
  await expect(page.locator(".node.dark"), "both nodes are off").toHaveCount(2);
});

// Shows: T-08
test("a link opens a new session and keeps the saved one", async ({ t }) => {
  const page = await openSavedSession(t);
  await page.goto("about:blank");
  await page.goto(`${t.url}#lesson=first-pod`);
  await t.waitUntilReady(page);
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await chooseFromMore(page, "Files");
  const list = page.locator(".sessions li");
  expect(await list.count(), "the saved session is listed").toBeGreaterThanOrEqual(1);
  await t.checkLooks(page, "sessions");
  await list.getByRole("button", { name: /^Open .*small living cluster/ }).first().click();
  await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
});

// Shows: T-08
test("two tabs do not overwrite each other's session", async ({ t }) => {
  const page = await openSavedSession(t);
  // A second tab continues a copy of the session independently.
  const other = await t.tab(page.context());
  await expect(other.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  await t.pause(other);
  await t.command(other, "fault poweroff a-1");
  await expect(other.locator('.node.dark[data-node="a-1"]')).toBeVisible();
  await t.waitUntilSaved(other);
  await t.command(page, "fault poweroff b-1");
  await expect(page.locator('.node.dark[data-node="b-1"]')).toBeVisible();
  await t.waitUntilSaved(page);
  const darkNodes = (page) => page.locator(".node.dark").evaluateAll((all) => all.map((node) => node.dataset.node).sort().join());
  for (const [tab, nodes] of [[page, "b-1,c-2"], [other, "a-1,c-2"]]) {
    await tab.reload();
    await expect(tab.locator('.node.dark[data-node="c-2"]')).toBeVisible();
    await tab.waitForFunction((n) => document.querySelectorAll(".node.dark").length === n, 2);
    expect(await darkNodes(tab), "each tab restores its own session").toBe(nodes);
  }
});

// Shows: T-08
test("the next tab continues the session of a crashed tab without copying it", async ({ t }) => {
  const page = await openSavedSession(t);
  const before = await savedSessions(page);
  const context = page.context();
  const devtools = await context.newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  devtools.send("Page.crash").catch(() => {});
  await crashed;
  const next = await t.tab(context);
  await expect(next.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  await t.pause(next);
  await t.command(next, "fault poweroff a-1");
  await t.waitUntilSaved(next);
  const names = (text) => text.split("|").map((entry) => entry.split(",")[0]).join();
  expect(names(await savedSessions(next)), "no session was added").toBe(names(before));
  await page.close();
});

// Shows: T-08
test("a saved session of a newer version is preserved and can be downloaded", async ({ t }) => {
  const page = await openSavedSession(t);
  const newer = "s99:bmV3ZXI";
  const key = await page.evaluate((newer) => {
    const key = Object.keys(localStorage).find((key) => key.includes("/session."));
    // The newer session is written when the page is left, so that the page of this version does not overwrite it.
    addEventListener("pagehide", () => localStorage.setItem(key, newer));
    return key;
  }, newer);
  // Open the address without its hash, because the hash names a session that the page would continue.
  await page.goto(t.url);
  const dialog = page.getByRole("dialog", { name: "This cannot be opened" });
  await expect(dialog.getByText(/newer Podscope/)).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
  await t.pause(page);
  await t.command(page, "fault poweroff a-1");
  await t.waitUntilSaved(page);
  expect(await page.evaluate((key) => localStorage.getItem(key), key), "the newer session is unchanged").toBe(newer);
  await chooseFromMore(page, "Files");
  const row = page.locator(".sessions li").last();
  const [download] = await Promise.all([page.waitForEvent("download"), row.getByRole("button", { name: /Download|Save/ }).click()]);
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(await download.path(), "utf8"), "the newer session can be downloaded").toContain(newer);
});

test.describe(() => {
  test.use({ host: { also: "/beside/" } });

  // Shows: T-08
  test("two sites on one origin have separate sessions", async ({ t }) => {
    const otherSite = new URL("/beside/", t.url).href;
    const page = await t.open("");
    await t.pause(page);
    await t.command(page, "fault poweroff c-2");
    await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
    await t.waitUntilSaved(page);
    await page.goto(otherSite);
    await t.waitUntilReady(page);
    await expect(page.locator('[data-node="c-2"]').first()).toBeVisible();
    await expect(page.locator(".node.dark"), "the other site starts without that session").toHaveCount(0);
    await t.pause(page);
    await t.command(page, "fault poweroff a-1");
    await expect(page.locator('.node.dark[data-node="a-1"]')).toBeVisible();
    await t.waitUntilSaved(page);
    for (const [url, node] of [[t.url, "c-2"], [otherSite, "a-1"]]) {
      await page.goto(url);
      await expect(page.locator(`.node.dark[data-node="${node}"]`)).toBeVisible();
      await expect(page.locator(".node.dark"), "each site restores its own session").toHaveCount(1);
    }
  });
});

// Shows: T-08
test("a session that did not finish opening is not opened again automatically", async ({ t }) => {
  const page = await openSavedSession(t);
  const context = page.context();
  await page.close();
  // The request for the engine's wasm is never answered, and the user closes the page after a while.
  const stuckTab = await t.tab(context, "", {
    before: async (page) => {
      await page.clock.install();
      await page.route(/js[^/]*\.wasm$/, () => {});
    },
  });
  await stuckTab.waitForFunction(() => Object.keys(localStorage).some((key) => key.endsWith("/trying")));
  // Let six seconds pass: the page assumes that the user has given up waiting after five.
  await stuckTab.clock.fastForward(6_000);
  await stuckTab.close();
  const next = await t.tab(context);
  await expect(next.getByText(/did not finish opening/)).toBeVisible();
  await expect(next.locator("[data-zone] [data-node]").first()).toBeVisible();
  await expect(next.locator(".node.dark"), "the cluster of a first visit is shown").toHaveCount(0);
  await chooseFromMore(next, "Files");
  await next.locator(".sessions li").getByRole("button", { name: /^Open .*small living cluster/ }).first().click();
  await expect(next.locator('.node.dark[data-node="c-2"]')).toBeVisible();
});

// Shows: T-08
test("#new starts a new session, and an embedded page saves nothing", async ({ t }) => {
  const page = await openSavedSession(t);
  const before = await savedSessions(page);
  await page.goto("about:blank");
  await page.goto(`${t.url}#new`);
  await t.waitUntilReady(page);
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await expect(page.locator(".node.dark"), "a new session").toHaveCount(0);
  expect(await savedSessions(page), "the other session is still saved").toContain(before.split(",")[0]);
  const framingPage = await page.context().newPage();
  await framingPage.clock.install();
  await page.close();
  // The frame is in a page that shows a text file of this site, so that only the frame could save a session.
  await framingPage.goto(`${t.url}THIRD-PARTY.md`);
  await framingPage.evaluate(() => localStorage.clear());
  await framingPage.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = `${url}#lesson=first-pod`;
    document.body.replaceChildren(frame);
  }, t.url);
  await expect(framingPage.frameLocator("iframe").locator("[data-node]").first()).toBeVisible();
  // The page saves an opened session in less than 20 s.
  await framingPage.clock.fastForward(20_000);
  await expect(framingPage.frameLocator("iframe").locator("html")).toHaveAttribute("data-settled", "true");
  expect(await savedSessions(framingPage), "a frame saves nothing").toBe("");
});

// Shows: T-08
test("a session can be renamed", async ({ t }) => {
  const page = await t.open("#new");
  await t.pause(page);
  await t.command(page, "fault partition a-1");
  await t.waitUntilSaved(page);
  await chooseFromMore(page, "Files");
  const name = page.getByLabel("Name of this tab's session");
  await name.fill("My outage drill");
  await name.press("Tab");
  await page.keyboard.press("Escape");
  await t.command(page, "fault heal a-1");
  await t.waitUntilSaved(page);
  const other = await t.tab(page.context(), "#new");
  await expect(other.locator("[data-node]").first()).toBeVisible();
  await chooseFromMore(other, "Files");
  await expect(other.locator(".sessions li").getByRole("button", { name: /^Open .* · My outage drill/ }).first()).toBeVisible();
  await t.checkLooks(other, "session-named");
  // A session that no tab has open can be renamed too. A copy in a second tab is named after its original.
  const copy = await t.tab(page.context());
  await expect(copy.locator("[data-node]").first()).toBeVisible();
  await t.waitUntilSaved(copy);
  await chooseFromMore(copy, "Files");
  const names = copy.locator(".sessions input");
  const sessionNames = () => names.evaluateAll((all) => all.map((field) => field.value));
  const original = (await sessionNames()).find((name) => / \(2\)$/.test(name))?.slice(0, -4);
  expect(await sessionNames(), `the copy is listed beside its original: ${await sessionNames()}`).toContain(original);
  await copy.getByLabel(/^Name of .* · My outage drill$/).fill("Drill of Monday");
  await copy.keyboard.press("Tab");
  expect(await sessionNames(), `${await sessionNames()}`).toContain("Drill of Monday");
  await t.resize(copy, 360, 640);
  await t.expectNoOverflow(copy, "sessions on a phone");
  await t.checkLooks(copy, "sessions-360");
});
