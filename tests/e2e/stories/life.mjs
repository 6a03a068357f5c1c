// What a person does first: a living cluster, a cut, two truths, a link that brings it all back.

const clock = (page) => page.locator(".page").getAttribute("data-now");

export const stories = {
  async "a first visit shows a living cluster that explains its placements (U-01, U-04, U-10)"(t) {
    const page = await t.open("");
    await page.locator("[data-zone] [data-node] [data-pod]").first().waitFor();
    t.equal(await page.locator("[data-node]").count(), 6, "nodes");
    await page.locator('[data-node="b-2"] [data-pod]').first().click();
    await page.getByText("TaintToleration").first().waitFor();
    await t.screenshot(page, "decision-desktop-light");
    await t.axe(page);
  },

  async "a node cut off is shown as cut while time goes on (U-02, U-03)"(t) {
    const page = await t.open("", { theme: "dark" });
    await page.locator("[data-zone] [data-node] [data-pod]").first().waitFor();
    await page.getByText("fault partition c-2").first().click();
    const before = await clock(page);
    await page.waitForFunction((now) => document.querySelector(".page").dataset.now !== now, before);
    await page.locator('[data-node="c-2"]').getByText(/cut|no heartbeat|heartbeat/i).first().waitFor();
    await t.screenshot(page, "cut-desktop-dark");
    await t.axe(page);
  },
};
