// The site as a stranger's browser meets it. P-01, Q-04, Q-05, Q-06.
import { SIZES, THEMES } from "../harness.mjs";

export const stories = {
  async "the shell paints before any wasm is there"(t) {
    const page = await t.open("", {
      wait: false,
      // The engine and the page's own wasm hang on the wire.
      before: (page) => page.route(/\.wasm$/, () => {}),
    });
    await page.getByRole("status").getByText("Starting the cluster").waitFor();
    const paint = await page.waitForFunction(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
    t.check((await paint.jsonValue()) < 2000, "the shell took more than two seconds");
    t.equal(await page.locator("#app").getAttribute("class"), "shell");
  },

  async "a first visit's cluster is there before the engine, which does what was pressed meanwhile (U-10)"(t) {
    let arrive;
    const onItsWay = new Promise((resolve) => { arrive = resolve; });
    const page = await t.open("", {
      before: (page) => page.route(/engine.*\.wasm$/, async (route) => {
        await onItsWay;
        await route.continue();
      }),
    });
    t.equal(await page.locator("[data-zone] [data-node]").count(), 6, "nodes");
    await page.getByText("Starting the cluster… What you press waits for it.").waitFor();
    await t.look(page, "before-the-engine");
    await page.getByRole("button", { name: "Free play" }).click();
    await page.locator('[data-node="b-1"]').click({ position: { x: 40, y: 8 } });
    await page.getByRole("button", { name: "Cut off c-2" }).click();
    arrive();
    // The node that was chosen stays so; the cut is the first thing that happens.
    await page.getByText("Starting the cluster…").waitFor({ state: "detached" });
    await page.locator('[data-node="c-2"]').getByText(/no heartbeat|cut off/i).first().waitFor();
    await page.locator('aside[data-subject*="b-1"]').waitFor();
    t.equal(await page.locator(".start").count(), 0, "the ways in were closed");
  },

  async "a page without its wasm says so"(t) {
    const page = await t.open("", {
      wait: false,
      before: (page) => page.route(/web[^/]*\.wasm$/, (route) => route.abort()),
    });
    await page.getByText("Podscope could not start").waitFor();
    t.forgive(/./);
  },

  async "the policy stops injected scripts"(t) {
    const page = await t.open();
    const ran = await page.evaluate(() => new Promise((resolve) => {
      addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
      const script = document.createElement("script");
      script.append("window.injected = true");
      document.body.append(script);
      setTimeout(() => resolve(`ran: ${window.injected}`), 1000);
    }));
    t.forgive(/Content Security Policy|TrustedScript/);
    t.check(["script-src-elem", "require-trusted-types-for"].includes(ran), ran);
  },

  async "after the first load it works offline (P-01)"(t) {
    const page = await t.open("", { offlineCopy: true });
    await t.keptOffline(page);
    await page.context().setOffline(true);
    await page.reload();
    await t.ready(page);
  },

  async "both sizes, both themes: no accessibility violation (U-08)"(t) {
    for (const size of Object.keys(SIZES)) {
      for (const theme of THEMES) {
        const page = await t.open("", { size, theme });
        await page.locator("[data-zone] [data-node] [data-pod]").first().waitFor();
        await t.screenshot(page, `first-visit-${size}-${theme}`);
        await t.axe(page);
      }
    }
  },
};
