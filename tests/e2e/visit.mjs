// A visit to the site: the pages that were opened, what they complain of, and everything a story does with them.
import * as actions from "./actions.mjs";
import { Complaints } from "./complaints.mjs";
import * as looks from "./looks.mjs";
import { PATIENCE } from "./tools.mjs";

/** What a page shows, for the report of a failure. */
const shown = (page) => page.evaluate(() => {
  const { now, playing, kept } = document.querySelector(".page")?.dataset ?? {};
  return `${location.href.slice(0, 120)} at ${now}, playing ${playing}, kept ${kept}: ${document.body.innerText.replace(/\s+/g, " ").slice(0, 600)}`;
}).catch((error) => `a page without an answer: ${error.message}`);

/** Begins a visit with `browser` to the site that is served at `site`. */
export function visit(browser, site) {
  const contexts = [];
  const complaints = new Complaints();

  /** Opens a tab in a browser context that is open already. */
  const tab = async (context, path = "", { before, wait = true } = {}) => {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    complaints.listen(page, site.url);
    if (before) await before(page);
    await page.goto(site.url + path, { waitUntil: wait ? "load" : "commit" });
    if (wait) await actions.ready(page);
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
    forgive: (pattern) => complaints.forgive(pattern),
    tab,

    /** Opens the site in a browser context of its own, which has no cache and has saved nothing. */
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

    /** What each open page shows. */
    shown: () => Promise.all(contexts.flatMap((context) => context.pages()).map(shown)),

    /** Closes what was opened; throws what pages complained of. */
    async end() {
      site.restore();
      for (const context of contexts) await context.close();
      const heard = complaints.unforgiven();
      if (heard.length > 0) throw new Error(heard.join("\n"));
    },
  };
}
