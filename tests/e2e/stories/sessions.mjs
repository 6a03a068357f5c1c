// What was there stays, whatever comes in. T-08.
import { on } from "../harness.mjs";

const kept = (page) => page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.includes("/session.")).sort().join("|"));

/** A session with a command in it, kept by the browser. */
const worked = async (t) => {
  const page = await t.open("");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault poweroff c-2");
  await page.locator('.node.dark[data-node="c-2"]').waitFor();
  await t.kept(page);
  return page;
};

export const stories = {
  async "a first visit of which nobody has done anything is one again after a reload (U-18)"(t) {
    for (const wait of [0, 60, 100, 3_000]) {
      const page = await t.open("");
      await page.waitForTimeout(wait);
      await page.reload();
      await page.locator("[data-zone] [data-node] [data-pod]").nth(6).waitFor();
      await page.locator(".start").waitFor();
      await page.locator('.page[data-playing="true"]').waitFor();
    }
  },

  async "who comes back to a lesson finds its step, its answers, and the question that waits (U-12, T-08)"(t) {
    const page = await t.open("#lesson=first-pod");
    const story = page.getByRole("complementary", { name: "Story" });
    await story.getByRole("button", { name: /kubectl run hello/ }).click();
    await story.getByRole("button", { name: "Next" }).click();
    await story.getByText("2 of 4").waitFor();
    await t.kept(page);
    await page.reload();
    await story.getByText("2 of 4").waitFor();
    await page.getByRole("button", { name: "Play", exact: true }).click().catch(() => {});
    await story.getByRole("button", { name: "Next" }).click();
    const option = story.getByRole("region", { name: "A question" }).getByRole("button", { name: "1", exact: true });
    await option.waitFor();
    await t.kept(page);
    await page.reload();
    await option.click();
    await story.getByText("You said 1").waitFor();
    await t.kept(page);
    await page.reload();
    await story.getByText("You said 1").waitFor();
  },

  async "the ways in lead to free play from wherever they were asked for (U-18)"(t) {
    const page = await t.open("#lesson=first-pod");
    await page.locator(".story").getByRole("heading", { name: "Your first pod" }).waitFor();
    await page.getByRole("button", { name: /^Podscope: what this is/ }).click();
    await page.locator(".start").getByRole("button", { name: /Free play/ }).click();
    await page.locator('[data-node="c-2"]').waitFor();
    await page.locator(".story").getByRole("heading", { name: "A small living cluster" }).waitFor();
  },

  async "a link that cannot be opened touches nothing that was kept (T-08)"(t) {
    const page = await worked(t);
    const before = await kept(page);
    for (const bad of ["#s1:AAAA", "#s99:AAAA", "#lesson=no-such-lesson", "?scenario=no-such-file.yaml", "?scenario=another.yaml", "?scenario=a-third.yaml"]) {
      await page.goto(`${t.url}${bad}`);
      await page.reload();
      await t.ready(page);
      await page.locator('.node.dark[data-node="c-2"]').waitFor();
      t.check((await kept(page)).includes(before.split("|")[0].split(",")[1].slice(0, 40)), `${bad}: the session is still there`);
    }
  },

  async "what is done is kept before one can leave, whatever comes right after it (T-05)"(t) {
    const page = await worked(t);
    // Back in time: what was done later is still there after a reload.
    await t.seek(page, "0:05.0");
    await t.kept(page);
    await page.reload();
    await page.locator('.page[data-now="0:05.0"]').waitFor();
    t.equal(await page.locator(".node.dark").count(), 0, "nothing has happened yet");
    await t.seek(page, "0:20.1");
    await page.locator('.node.dark[data-node="c-2"]').waitFor();
    // A command, and a reload at once: the way to the next page is long enough.
    await t.command(page, "fault poweroff a-1");
    await page.locator('.node.dark[data-node="a-1"]').waitFor();
    await page.reload();
    await page.locator('.node.dark[data-node="a-1"]').waitFor();
    // A reload while the engine is still on its way to the instant, and another.
    for (let again = 0; again < 3; again += 1) {
      // While one page takes the place of another the browser hears of no third.
      await page.reload({ waitUntil: "commit" }).catch((error) => { if (!/Not attached/.test(error)) throw error; });
      await page.waitForTimeout(400 * again);
    }
    await page.reload();
    await page.locator('.node.dark[data-node="a-1"]').waitFor();
    t.equal(await page.locator(".node.dark").count(), 2, "both");
  },

  async "a link opens beside the session that was there (T-08)"(t) {
    const page = await worked(t);
    await page.goto("about:blank");
    await page.goto(`${t.url}#lesson=first-pod`);
    await t.ready(page);
    await page.locator("[data-node]").first().waitFor();
    await page.getByRole("button", { name: "Files" }).click();
    const list = page.locator(".sessions li");
    t.check(await list.count() >= 1, "it is listed");
    await t.look(page, "sessions");
    await list.getByRole("button", { name: /^Open .*small living cluster/ }).first().click();
    await page.locator('.node.dark[data-node="c-2"]').waitFor();
  },

  async "two tabs do not overwrite each other's session (T-08)"(t) {
    const page = await worked(t);
    // A second tab goes on with what is there, and from then on by itself.
    const other = await t.tab(page.context());
    await other.locator('.node.dark[data-node="c-2"]').waitFor();
    await t.pause(other);
    await t.command(other, "fault poweroff a-1");
    await other.locator('.node.dark[data-node="a-1"]').waitFor();
    await t.kept(other);
    await t.command(page, "fault poweroff b-1");
    await page.locator('.node.dark[data-node="b-1"]').waitFor();
    await t.kept(page);
    const dark = (page) => page.locator(".node.dark").evaluateAll((all) => all.map((node) => node.dataset.node).sort().join());
    for (const [tab, nodes] of [[page, "b-1,c-2"], [other, "a-1,c-2"]]) {
      await tab.reload();
      await tab.locator('.node.dark[data-node="c-2"]').waitFor();
      await tab.waitForFunction((n) => document.querySelectorAll(".node.dark").length === n, 2);
      t.equal(await dark(tab), nodes, "each its own");
    }
  },

  async "a tab that crashed leaves its session to the next one, without a copy (T-08)"(t) {
    const page = await worked(t);
    const before = await kept(page);
    const context = page.context();
    const wire = await context.newCDPSession(page);
    const crashed = page.waitForEvent("crash");
    wire.send("Page.crash").catch(() => {});
    await crashed;
    const next = await t.tab(context);
    await next.locator('.node.dark[data-node="c-2"]').waitFor();
    await t.pause(next);
    await t.command(next, "fault poweroff a-1");
    await t.kept(next);
    const names = (text) => text.split("|").map((entry) => entry.split(",")[0]).join();
    t.equal(names(await kept(next)), names(before), "the sessions that are kept");
    await page.close();
  },

  async "a kept session of a newer version stays and can be downloaded (T-08)"(t) {
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
    await dialog.getByText(/newer Podscope/).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.locator("[data-zone] [data-node]").first().waitFor();
    await t.pause(page);
    await t.command(page, "fault poweroff a-1");
    await t.kept(page);
    t.equal(await page.evaluate((key) => localStorage.getItem(key), key), newer, "it is kept aside");
    await page.getByRole("button", { name: "Files" }).click();
    const row = page.locator(".sessions li").last();
    const [download] = await Promise.all([page.waitForEvent("download"), row.getByRole("button", { name: /Download|Save/ }).click()]);
    const { readFileSync } = await import("node:fs");
    t.check(readFileSync(await download.path(), "utf8").includes(newer), "and can be taken along");
  },

  "two sites on one origin keep their own sessions (T-08)": on({ also: "/beside/" }, async (t) => {
    const beside = new URL("/beside/", t.url).href;
    const page = await t.open("");
    await t.pause(page);
    await t.command(page, "fault poweroff c-2");
    await page.locator('.node.dark[data-node="c-2"]').waitFor();
    await t.kept(page);
    await page.goto(beside);
    await t.ready(page);
    await page.locator('[data-node="c-2"]').first().waitFor();
    t.equal(await page.locator(".node.dark").count(), 0, "the other site begins by itself");
    await t.pause(page);
    await t.command(page, "fault poweroff a-1");
    await page.locator('.node.dark[data-node="a-1"]').waitFor();
    await t.kept(page);
    for (const [url, node] of [[t.url, "c-2"], [beside, "a-1"]]) {
      await page.goto(url);
      await page.locator(`.node.dark[data-node="${node}"]`).waitFor();
      t.equal(await page.locator(".node.dark").count(), 1, "each its own");
    }
  }),

  async "an opening that did not finish is not tried again by itself (T-08)"(t) {
    const page = await worked(t);
    const context = page.context();
    await page.close();
    // The engine hangs on the wire; who closes the page after a while has waited in vain.
    const stuck = await t.tab(context, "", { before: (page) => page.route(/js[^/]*\.wasm$/, () => {}) });
    await stuck.waitForFunction(() => Object.keys(localStorage).some((key) => key.endsWith("/trying")));
    // So long that it is a person's patience, whatever the machine does.
    await stuck.waitForTimeout(6000);
    await stuck.close();
    const next = await t.tab(context);
    await next.getByText(/did not finish opening/).waitFor();
    await next.locator("[data-zone] [data-node]").first().waitFor();
    t.equal(await next.locator(".node.dark").count(), 0, "the first visit's cluster");
    await next.getByRole("button", { name: "Files" }).click();
    await next.locator(".sessions li").getByRole("button", { name: /^Open .*small living cluster/ }).first().click();
    await next.locator('.node.dark[data-node="c-2"]').waitFor();
  },

  async "#new starts fresh, and a page in a frame keeps nothing (T-08)"(t) {
    const page = await worked(t);
    const before = await kept(page);
    await page.goto("about:blank");
    await page.goto(`${t.url}#new`);
    await t.ready(page);
    await page.locator("[data-node]").first().waitFor();
    t.equal(await page.locator(".node.dark").count(), 0, "a new session");
    t.check((await kept(page)).includes(before.split(",")[0]), "the other is kept");
    const framing = await page.context().newPage();
    await page.close();
    // Some text of the same site: nothing there saves but the frame.
    await framing.goto(`${t.url}THIRD-PARTY.md`);
    await framing.evaluate(() => localStorage.clear());
    await framing.evaluate((url) => {
      const frame = document.createElement("iframe");
      frame.src = `${url}#lesson=first-pod`;
      document.body.replaceChildren(frame);
    }, t.url);
    await framing.frameLocator("iframe").locator("[data-node]").first().waitFor();
    // Longer than it takes a page of its own to keep what it opens.
    await framing.waitForTimeout(2000);
    t.equal(await kept(framing), "", "a frame keeps nothing");
  },

  async "a session has the name that somebody gives it (T-08)"(t) {
    const page = await t.open("#new");
    await t.pause(page);
    await t.command(page, "fault partition a-1");
    await t.kept(page);
    await page.getByRole("button", { name: "Files" }).first().click();
    const name = page.getByLabel("Name of this tab's session");
    await name.fill("My outage drill");
    await name.press("Tab");
    await page.keyboard.press("Escape");
    await t.command(page, "fault heal a-1");
    await t.kept(page);
    const other = await t.tab(page.context(), "#new");
    await other.locator("[data-node]").first().waitFor();
    await other.getByRole("button", { name: "Files" }).first().click();
    await other.locator(".sessions li").getByRole("button", { name: /^Open .* · My outage drill/ }).first().waitFor();
    await t.look(other, "session-named");
    // So has one that no tab works on, and a second tab's copy is named after its original.
    const copy = await t.tab(page.context());
    await copy.locator("[data-node]").first().waitFor();
    await t.kept(copy);
    await copy.getByRole("button", { name: "Files" }).first().click();
    const names = copy.locator(".sessions input");
    const all = () => names.evaluateAll((all) => all.map((field) => field.value));
    const original = (await all()).find((name) => / \(2\)$/.test(name))?.slice(0, -4);
    t.check((await all()).includes(original), `a copy beside its original: ${await all()}`);
    await copy.getByLabel(/^Name of .* · My outage drill$/).fill("Drill of Monday");
    await copy.keyboard.press("Tab");
    t.check((await all()).includes("Drill of Monday"), `${await all()}`);
    await copy.setViewportSize({ width: 360, height: 640 });
    await t.fits(copy, "sessions on a phone");
    await t.look(copy, "sessions-360");
  },
};
