// What was there stays, whatever comes in.
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const kept = (page) => page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.includes("/session.")).sort().join("|"));

/** A session with a command in it, kept by the browser. */
const worked = async (t) => {
  const page = await t.open("");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault poweroff c-2");
  await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  await t.waitUntilSaved(page);
  return page;
};

// Shows: U-18
test("a first visit of which nobody has done anything is one again after a reload", async ({ t }) => {
  const moments = [
    async () => {},
    (page) => expect(page.locator("[data-node]").first()).toBeVisible(),
    (page) => t.waitUntilSettled(page),
    (page) => expect(page.locator(".page")).toHaveAttribute("data-now", /^0:1[3-9]/),
  ];
  for (const moment of moments) {
    const page = await t.open("");
    await moment(page);
    await page.reload();
    await expect(page.locator("[data-zone] [data-node] [data-pod]").nth(6)).toBeVisible();
    await expect(page.locator(".start")).toBeVisible();
    await expect(page.locator('.page[data-playing="true"]')).toBeVisible();
  }
});

// Shows: U-12, T-08
test("who comes back to a lesson finds its step, its answers, and the question that waits", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  const story = page.getByRole("complementary", { name: "Story" });
  await story.getByRole("button", { name: /kubectl run hello/ }).click();
  await story.getByRole("button", { name: "Next" }).click();
  // The pod runs, and time waits for the question of the third step. The forward button leads there, unless the story
  // has turned by itself.
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
test("the ways in lead to free play from wherever they were asked for", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator(".story").getByRole("heading", { name: "Your first pod" })).toBeVisible();
  await page.getByRole("button", { name: /^Podscope: what this is/ }).click();
  await page.locator(".start").getByRole("button", { name: /Free play/ }).click();
  await expect(page.locator('[data-node="c-2"]')).toBeVisible();
  await expect(page.locator(".scenario")).toContainText("Free play");
});

// Shows: T-08
test("a link that cannot be opened touches nothing that was kept", async ({ t }) => {
  const page = await worked(t);
  const before = await kept(page);
  for (const bad of ["#s1:AAAA", "#s99:AAAA", "#lesson=no-such-lesson", "?scenario=no-such-file.yaml", "?scenario=another.yaml", "?scenario=a-third.yaml"]) {
    await page.goto(`${t.url}${bad}`);
    await page.reload();
    await t.waitUntilReady(page);
    await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
    expect(await kept(page), `${bad}: the session is still there`).toContain(before.split("|")[0].split(",")[1].slice(0, 40));
  }
});

// Shows: T-05
test("what is done is kept before one can leave, whatever comes right after it", async ({ t }) => {
  const page = await worked(t);
  // Back in time: what was done later is still there after a reload.
  await t.seek(page, "0:05.0");
  await t.waitUntilSaved(page);
  await page.reload();
  await expect(page.locator('.page[data-now="0:05.0"]')).toBeVisible();
  await expect(page.locator(".node.dark"), "nothing has happened yet").toHaveCount(0);
  await t.seek(page, "0:20.1");
  await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  // A command, and a reload at once: the way to the next page is long enough.
  await t.command(page, "fault poweroff a-1");
  await expect(page.locator('.node.dark[data-node="a-1"]')).toBeVisible();
  await page.reload();
  await expect(page.locator('.node.dark[data-node="a-1"]')).toBeVisible();
  // A reload while the engine is still on its way to the instant, and another.
  for (const part of ["html", ".page", "[data-node]"]) {
    // While one page takes the place of another the browser hears of no third.
    await page.reload({ waitUntil: "commit" }).catch((error) => { if (!/Not attached/.test(error)) throw error; });
    await expect(page.locator(part).first()).toBeAttached();
  }
  await page.reload();
  await expect(page.locator('.node.dark[data-node="a-1"]')).toBeVisible();
  await expect(page.locator(".node.dark"), "both").toHaveCount(2);
});

// Shows: T-08
test("a link opens beside the session that was there", async ({ t }) => {
  const page = await worked(t);
  await page.goto("about:blank");
  await page.goto(`${t.url}#lesson=first-pod`);
  await t.waitUntilReady(page);
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await chooseFromMore(page, "Files");
  const list = page.locator(".sessions li");
  expect(await list.count(), "it is listed").toBeGreaterThanOrEqual(1);
  await t.checkLooks(page, "sessions");
  await list.getByRole("button", { name: /^Open .*small living cluster/ }).first().click();
  await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
});

// Shows: T-08
test("two tabs do not overwrite each other's session", async ({ t }) => {
  const page = await worked(t);
  // A second tab goes on with what is there, and from then on by itself.
  const other = await t.tab(page.context());
  await expect(other.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  await t.pause(other);
  await t.command(other, "fault poweroff a-1");
  await expect(other.locator('.node.dark[data-node="a-1"]')).toBeVisible();
  await t.waitUntilSaved(other);
  await t.command(page, "fault poweroff b-1");
  await expect(page.locator('.node.dark[data-node="b-1"]')).toBeVisible();
  await t.waitUntilSaved(page);
  const dark = (page) => page.locator(".node.dark").evaluateAll((all) => all.map((node) => node.dataset.node).sort().join());
  for (const [tab, nodes] of [[page, "b-1,c-2"], [other, "a-1,c-2"]]) {
    await tab.reload();
    await expect(tab.locator('.node.dark[data-node="c-2"]')).toBeVisible();
    await tab.waitForFunction((n) => document.querySelectorAll(".node.dark").length === n, 2);
    expect(await dark(tab), "each its own").toBe(nodes);
  }
});

// Shows: T-08
test("a tab that crashed leaves its session to the next one, without a copy", async ({ t }) => {
  const page = await worked(t);
  const before = await kept(page);
  const context = page.context();
  const wire = await context.newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  wire.send("Page.crash").catch(() => {});
  await crashed;
  const next = await t.tab(context);
  await expect(next.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  await t.pause(next);
  await t.command(next, "fault poweroff a-1");
  await t.waitUntilSaved(next);
  const names = (text) => text.split("|").map((entry) => entry.split(",")[0]).join();
  expect(names(await kept(next)), "the sessions that are kept").toBe(names(before));
  await page.close();
});

// Shows: T-08
test("a kept session of a newer version stays and can be downloaded", async ({ t }) => {
  const page = await worked(t);
  const newer = "s99:bmV3ZXI";
  const key = await page.evaluate((newer) => {
    const key = Object.keys(localStorage).find((key) => key.includes("/session."));
    // No page of this version writes it again.
    addEventListener("pagehide", () => localStorage.setItem(key, newer));
    return key;
  }, newer);
  // The address would go on with the session that it names.
  await page.goto(t.url);
  const dialog = page.getByRole("dialog", { name: "This cannot be opened" });
  await expect(dialog.getByText(/newer Podscope/)).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
  await t.pause(page);
  await t.command(page, "fault poweroff a-1");
  await t.waitUntilSaved(page);
  expect(await page.evaluate((key) => localStorage.getItem(key), key), "it is kept aside").toBe(newer);
  await chooseFromMore(page, "Files");
  const row = page.locator(".sessions li").last();
  const [download] = await Promise.all([page.waitForEvent("download"), row.getByRole("button", { name: /Download|Save/ }).click()]);
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(await download.path(), "utf8"), "and can be taken along").toContain(newer);
});

test.describe(() => {
  test.use({ host: { also: "/beside/" } });

  // Shows: T-08
  test("two sites on one origin keep their own sessions", async ({ t }) => {
    const beside = new URL("/beside/", t.url).href;
    const page = await t.open("");
    await t.pause(page);
    await t.command(page, "fault poweroff c-2");
    await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
    await t.waitUntilSaved(page);
    await page.goto(beside);
    await t.waitUntilReady(page);
    await expect(page.locator('[data-node="c-2"]').first()).toBeVisible();
    await expect(page.locator(".node.dark"), "the other site begins by itself").toHaveCount(0);
    await t.pause(page);
    await t.command(page, "fault poweroff a-1");
    await expect(page.locator('.node.dark[data-node="a-1"]')).toBeVisible();
    await t.waitUntilSaved(page);
    for (const [url, node] of [[t.url, "c-2"], [beside, "a-1"]]) {
      await page.goto(url);
      await expect(page.locator(`.node.dark[data-node="${node}"]`)).toBeVisible();
      await expect(page.locator(".node.dark"), "each its own").toHaveCount(1);
    }
  });
});

// Shows: T-08
test("an opening that did not finish is not tried again by itself", async ({ t }) => {
  const page = await worked(t);
  const context = page.context();
  await page.close();
  // The engine hangs on the wire; who closes the page after a while has waited in vain.
  const stuck = await t.tab(context, "", {
    before: async (page) => {
      await page.clock.install();
      await page.route(/js[^/]*\.wasm$/, () => {});
    },
  });
  await stuck.waitForFunction(() => Object.keys(localStorage).some((key) => key.endsWith("/trying")));
  // So long that a person gives up.
  await stuck.clock.fastForward(6_000);
  await stuck.close();
  const next = await t.tab(context);
  await expect(next.getByText(/did not finish opening/)).toBeVisible();
  await expect(next.locator("[data-zone] [data-node]").first()).toBeVisible();
  await expect(next.locator(".node.dark"), "the first visit's cluster").toHaveCount(0);
  await chooseFromMore(next, "Files");
  await next.locator(".sessions li").getByRole("button", { name: /^Open .*small living cluster/ }).first().click();
  await expect(next.locator('.node.dark[data-node="c-2"]')).toBeVisible();
});

// Shows: T-08
test("#new starts fresh, and a page in a frame keeps nothing", async ({ t }) => {
  const page = await worked(t);
  const before = await kept(page);
  await page.goto("about:blank");
  await page.goto(`${t.url}#new`);
  await t.waitUntilReady(page);
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await expect(page.locator(".node.dark"), "a new session").toHaveCount(0);
  expect(await kept(page), "the other is kept").toContain(before.split(",")[0]);
  const framing = await page.context().newPage();
  await framing.clock.install();
  await page.close();
  // Some text of the same site: nothing there saves but the frame.
  await framing.goto(`${t.url}THIRD-PARTY.md`);
  await framing.evaluate(() => localStorage.clear());
  await framing.evaluate((url) => {
    const frame = document.createElement("iframe");
    frame.src = `${url}#lesson=first-pod`;
    document.body.replaceChildren(frame);
  }, t.url);
  await expect(framing.frameLocator("iframe").locator("[data-node]").first()).toBeVisible();
  // Longer than it takes a page of its own to keep what it opens.
  await framing.clock.fastForward(20_000);
  await expect(framing.frameLocator("iframe").locator("html")).toHaveAttribute("data-settled", "true");
  expect(await kept(framing), "a frame keeps nothing").toBe("");
});

// Shows: T-08
test("a session has the name that somebody gives it", async ({ t }) => {
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
  // So has one that no tab works on, and a second tab's copy is named after its original.
  const copy = await t.tab(page.context());
  await expect(copy.locator("[data-node]").first()).toBeVisible();
  await t.waitUntilSaved(copy);
  await chooseFromMore(copy, "Files");
  const names = copy.locator(".sessions input");
  const all = () => names.evaluateAll((all) => all.map((field) => field.value));
  const original = (await all()).find((name) => / \(2\)$/.test(name))?.slice(0, -4);
  expect(await all(), `a copy beside its original: ${await all()}`).toContain(original);
  await copy.getByLabel(/^Name of .* · My outage drill$/).fill("Drill of Monday");
  await copy.keyboard.press("Tab");
  expect(await all(), `${await all()}`).toContain("Drill of Monday");
  await t.resize(copy, 360, 640);
  await t.expectNoOverflow(copy, "sessions on a phone");
  await t.checkLooks(copy, "sessions-360");
});
