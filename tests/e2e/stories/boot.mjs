// The first start of the site in a fresh browser.
// Shows
import { SIZES, THEMES } from "../looks.mjs";
import { expect, test } from "../test.mjs";

test("the loading screen is painted before any wasm is loaded", async ({ t }) => {
  const page = await t.open("", {
    wait: false,
    // The requests for the wasm of the engine and of the page are never answered.
    before: (page) => page.route(/\.wasm$/, () => {}),
  });
  await expect(page.getByRole("status").getByText("Starting the cluster")).toBeVisible();
  // How long the first paint takes is measured by `cargo xtask bench page`.
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  await expect(page.locator("#app")).toHaveAttribute("class", "shell");
});

// Shows: U-10
test("the first cluster is shown before the engine loads, and clicks wait for the engine", async ({ t }) => {
  let allowLoading;
  const mayLoad = new Promise((resolve) => { allowLoading = resolve; });
  const page = await t.open("", {
    before: (page) => page.route(/engine.*\.wasm$/, async (route) => {
      await mayLoad;
      await route.continue();
    }),
  });
  await expect(page.locator("[data-zone] [data-node]"), "nodes").toHaveCount(6);
  await expect(page.getByText("Starting the cluster… What you press waits for it.")).toBeVisible();
  await t.checkLooks(page, "before-the-engine");
  await page.locator('[data-node="b-1"]').click({ position: { x: 40, y: 8 } });
  await page.getByRole("button", { name: "Cut a node off" }).click();
  allowLoading();
  // The node that was clicked before the engine loaded is still selected; the cut is the first event.
  await expect(page.getByText("Starting the cluster…")).toHaveCount(0);
  await expect(page.locator('[data-node="c-2"]').getByText(/no heartbeat|cut off/i).first()).toBeVisible();
  await expect(page.locator('aside[data-subject*="b-1"]')).toBeVisible();
  await expect(page.locator(".start"), "the choices for a first visit are closed").toHaveCount(0);
});

test("a page whose wasm cannot be loaded shows an error", async ({ t }) => {
  const page = await t.open("", {
    wait: false,
    before: (page) => page.route(/web[^/]*\.wasm$/, (route) => route.abort()),
  });
  await expect(page.getByText("Podscope could not start")).toBeVisible();
  t.allowComplaint(/./);
});

test("the content security policy blocks injected scripts", async ({ t }) => {
  const page = await t.open();
  const scriptOutcome = await page.evaluate(() => new Promise((resolve) => {
    addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
    const script = document.createElement("script");
    script.append("window.injected = true");
    document.body.append(script);
    setTimeout(() => resolve(`ran: ${window.injected}`), 1000);
  }));
  t.allowComplaint(/Content Security Policy|TrustedScript/);
  expect(["script-src-elem", "require-trusted-types-for"], scriptOutcome).toContain(scriptOutcome);
});

// Shows: P-01
test("after the first load the site works offline", async ({ t }) => {
  const page = await t.open("", { offlineCopy: true });
  await t.waitForOfflineCopy(page);
  await page.context().setOffline(true);
  await page.reload();
  await t.waitUntilReady(page);
});

// Shows: U-08
test("the page has no accessibility violation at any size in any theme", async ({ t }) => {
  for (const size of Object.keys(SIZES)) {
    for (const theme of THEMES) {
      const page = await t.open("", { size, theme });
      await expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
      await t.screenshot(page, `first-visit-${size}-${theme}`);
      await t.expectAccessible(page);
      await page.context().close();
    }
  }
});
