// A visit to the site: the pages that a story opened, their complaints, and all actions and checks on them.
import * as actions from "./actions.mjs";
import { Complaints } from "./complaints.mjs";
import * as looks from "./looks.mjs";
import { TIMEOUT } from "./tools.mjs";

/** Summary of a page for the report of a failure. */
const summarize = (page) => page.evaluate(() => {
  const { now, playing, kept } = document.querySelector(".page")?.dataset ?? {};
  return `${location.href.slice(0, 120)} at ${now}, playing ${playing}, kept ${kept}: ${document.body.innerText.replace(/\s+/g, " ").slice(0, 600)}`;
}).catch((error) => `the page does not answer: ${error.message}`);

/** Creates a visit to the site that is served at `site`: its pages open in `browser`. */
export function visit(browser, site) {
  const contexts = [];
  const complaints = new Complaints();

  /** Opens a tab in an existing browser context. */
  const tab = async (context, path = "", { before, wait = true } = {}) => {
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT);
    complaints.listen(page, site.url);
    if (before) await before(page);
    await page.goto(site.url + path, { waitUntil: wait ? "load" : "commit" });
    if (wait) await actions.waitUntilReady(page);
    return page;
  };

  return {
    ...actions,
    ...looks,
    browser,
    site,
    url: site.url,
    change: site.change,
    publish: site.publish,
    allowComplaint: (pattern) => complaints.allow(pattern),
    tab,

    /** Opens the site in a new browser context, without cache and without saved data. */
    async open(path = "", { size = "desktop", theme = "light", before, offlineCopy = false, wait = true, motion = "reduce", touch = size === "phone" || size === "narrow" } = {}) {
      const context = await browser.newContext({
        viewport: looks.SIZES[size],
        colorScheme: theme,
        reducedMotion: motion,
        hasTouch: touch,
        serviceWorkers: offlineCopy ? "allow" : "block",
      });
      contexts.push(context);
      return tab(context, path, { before, wait });
    },

    /** A summary of each open page. */
    pageSummaries: () => Promise.all(contexts.flatMap((context) => context.pages()).map(summarize)),

    /** Closes all pages; throws if one of them reported an error that the story did not allow. */
    async end() {
      site.restore();
      for (const context of contexts) await context.close();
      const unexpected = complaints.unexpected();
      if (unexpected.length > 0) throw new Error(unexpected.join("\n"));
    },
  };
}
