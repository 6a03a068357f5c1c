// What was there stays, whatever comes in. T-08.

const kept = (page) => page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.includes("/session.")).sort().join("|"));

/** A session with a command in it, kept by the browser. */
const worked = async (t) => {
  const page = await t.open("");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault poweroff c-2");
  await page.locator('.node.dark[data-node="c-2"]').waitFor();
  // What is kept follows within a second: a save from before the command may come first.
  await page.waitForTimeout(3000);
  return page;
};

export const stories = {
  async "a link that cannot be opened touches nothing that was kept (T-08)"(t) {
    const page = await worked(t);
    const before = await kept(page);
    for (const bad of ["#s1:AAAA", "#s99:AAAA", "#lesson=no-such-lesson", "?scenario=no-such-file.yaml"]) {
      await page.goto(`${t.url}${bad}`);
      await page.reload();
      await t.ready(page);
      await page.locator('.node.dark[data-node="c-2"]').waitFor();
      t.check((await kept(page)).includes(before.split("|")[0].split(",")[1].slice(0, 40)), `${bad}: the session is still there`);
    }
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
    await list.getByRole("button", { name: /small living cluster/ }).first().click();
    await page.locator('.node.dark[data-node="c-2"]').waitFor();
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
    await framing.waitForTimeout(2000);
    t.equal(await kept(framing), "", "a frame keeps nothing");
  },
};
