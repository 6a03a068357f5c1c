// Belief beside reality: what the API server believes, since when, what it does next; and what runs. U-15.

const NODE = '[data-node="c-2"]';

/** c-2 is cut off at 0:20, by the console. */
const cutOff = async (t) => {
  const page = await t.open("#new");
  await t.seek(page, "0:20.0");
  await t.command(page, "fault partition c-2");
  await page.locator(`.node.cut${NODE}`).waitFor();
  return page;
};

export const stories = {
  async "a card says what the API believes, since when, and what comes next (U-15)"(t) {
    const page = await cutOff(t);
    await t.seek(page, "0:40.0");
    await page.locator(NODE).getByText(/Ready, last heard \d+ s ago · NotReady at 1:\d\d/).waitFor();
    await t.seek(page, "1:30.0");
    await page.locator(NODE).getByText(/NotReady since 1:\d\d · evicts 1 pod at 6:\d\d/).waitFor();
    t.check(await page.locator('[data-lane="faults"] .k-notready').count() > 0, "the lane says so too");
    await t.look(page, "belief");
    const picture = page.getByRole("group", { name: "Whose picture" });
    await picture.getByRole("button", { name: "API" }).click();
    t.equal(await page.locator(".node.cut").count(), 0, "the API server knows of no cut");
    await t.look(page, "belief-api");
    await picture.getByRole("button", { name: "machine" }).click();
    await page.locator(`.node.cut${NODE} [data-pod="default/db-0"].m-ready`).waitFor();
    t.equal(await page.locator(`${NODE} .api`).count(), 0, "a machine believes nothing");
    await t.look(page, "belief-machine");
    await picture.getByRole("button", { name: "both" }).click();
  },

  async "Just now tells what lies before the cursor, also after a seek (U-15)"(t) {
    const page = await cutOff(t);
    await t.seek(page, "1:30.0");
    const log = page.locator(".side .log");
    await log.getByText("c-2 is cut off").waitFor();
    await log.getByText("c-2 NotReady").waitFor();
    t.equal(await log.getByText("c-2 is cut off").count(), 1, "once");
    await t.seek(page, "0:30.0");
    t.equal(await log.getByText("c-2 NotReady").count(), 0, "not what has not happened yet");
    await log.getByText("c-2 is cut off").waitFor();
    await t.seek(page, "0:10.0");
    t.equal(await log.getByText("c-2 is cut off").count(), 0, "nor the cut");
  },

  async "a card says which link is cut, and Just now says it once (U-02, U-15)"(t) {
    const page = await t.open("#new");
    await t.seek(page, "0:30.0");
    await t.command(page, "fault partition c-2 --from storage");
    await t.seek(page, "1:30.0");
    await page.locator(NODE).getByText("cut off from storage").waitFor();
    t.equal(await page.locator(`${NODE} .api`).count(), 0, "it is heard, and Ready");
    const log = page.locator(".side .log");
    await log.getByText("c-2 is cut off from storage").waitFor();
    t.equal(await log.getByText("fault partition").count(), 0, "once");
  },

  async "a broken guarantee is drawn for as long as it is broken, and of what (U-15)"(t) {
    const page = await cutOff(t);
    await t.insist(page, "kubectl delete pod db-0 --grace-period=0 --force");
    await t.seek(page, "1:00.0");
    const bar = page.locator('[data-lane="guarantees"] .span.k-broken[title*="2 × db-0"]');
    await bar.first().waitFor();
    t.check((await bar.first().getAttribute("title")).includes("2 × db-0"), "of what");
    await t.command(page, "fault heal c-2");
    await t.seek(page, "2:00.0");
    await page.locator('[data-lane="guarantees"] .span.k-broken:not(.open)').first().waitFor();
    await t.look(page, "broken-for-a-while");
    await bar.first().click();
    await page.locator(".side").getByText("at-most-one").first().waitFor();
  },
};
