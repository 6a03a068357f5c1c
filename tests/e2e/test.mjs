// Imported by each story: the runner's `test` and `expect`, with fixtures for the site.
import { serve } from "./site.mjs";
import { playwright } from "./tools.mjs";
import { visit } from "./visit.mjs";

export const { expect } = playwright;

export const test = playwright.test.extend({
  /** Options of `serve` for a story that needs its own host: `test.use({ host: { base: "/" } })`. */
  host: [undefined, { option: true }],

  sharedSite: [async ({}, use) => {
    const site = await serve();
    await use(site);
    site.close();
  }, { scope: "worker" }],

  site: async ({ host, sharedSite }, use) => {
    const site = host ? await serve(host) : sharedSite;
    await use(site);
    if (host) site.close();
  },

  /** A visit of the story to the site. If one of the visit's pages reports an error, the story fails. */
  t: async ({ browser, site }, use, info) => {
    const t = visit(browser, site);
    await use(t);
    if (info.status !== info.expectedStatus) {
      await info.attach("what the pages show", { body: (await t.pageSummaries()).join("\n"), contentType: "text/plain" });
    }
    await t.end();
  },
});
