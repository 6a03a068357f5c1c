// What a story imports: the runner's `test` and `expect`, with the fixtures of the site.
import { serve } from "./site.mjs";
import { playwright } from "./tools.mjs";
import { visit } from "./visit.mjs";

export const { expect } = playwright;

export const test = playwright.test.extend({
  /** A host of the story's own, as options of `serve`: `test.use({ host: { base: "/" } })`. */
  host: [undefined, { option: true }],

  usualSite: [async ({}, use) => {
    const site = await serve();
    await use(site);
    site.close();
  }, { scope: "worker" }],

  site: async ({ host, usualSite }, use) => {
    const site = host ? await serve(host) : usualSite;
    await use(site);
    if (host) site.close();
  },

  /** The story's visit to the site; a complaint of its pages fails the story. */
  t: async ({ browser, site }, use, info) => {
    const t = visit(browser, site);
    await use(t);
    if (info.status !== info.expectedStatus) {
      await info.attach("what the pages show", { body: (await t.shown()).join("\n"), contentType: "text/plain" });
    }
    await t.end();
  },
});
