// Nothing leaves, and nothing that comes in runs. Q-04, E-02.
import { createServer } from "node:http";
import { Teller, serve } from "../harness.mjs";

/** Another site, that would answer anybody, and counts who asks. */
const elsewhere = async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end("apiVersion: v1\nkind: Namespace\nmetadata: {name: theirs}\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/x.yaml`, asked: () => asked, close: () => server.close() };
};
const attempt = (url) => fetch(url).then(() => "answered", (error) => error.name);

const refused = (headers) => async (t) => {
  const [other, site] = [await elsewhere(), await serve({ headers })];
  try {
    await new Teller(t.browser, site).tell(async (teller) => {
      const page = await teller.open("", { offlineCopy: true });
      await teller.keptOffline(page);
      t.equal(await page.evaluate(attempt, other.url), "TypeError", "the page");
      t.equal(await page.workers()[0].evaluate(attempt, other.url), "TypeError", "the engine");
      t.equal(await page.context().serviceWorkers()[0].evaluate(attempt, other.url), "TypeError", "the offline copy");
      t.equal(other.asked(), 0, "requests that left");
      teller.forgive(/Content Security Policy|asked another origin/);
    });
  } finally {
    site.close();
    other.close();
  }
};

export const stories = {
  "page, engine and offline copy ask no other origin, on a host without headers": refused(false),
  "page, engine and offline copy ask no other origin, on a host that sends the site's headers": refused(true),

  async "text becomes no markup, an address no code"(t) {
    const page = await t.open();
    const refusals = await page.evaluate(() => [
      () => { document.body.innerHTML = "<b>x</b>"; },
      () => { document.createElement("script").src = "x.js"; },
      () => new Worker("x.js"),
      () => trustedTypes.createPolicy("another", {}),
    ].map((act) => {
      try {
        act();
        return "done";
      } catch (error) {
        return error.name;
      }
    }).join());
    t.forgive(/Trusted|Content Security Policy/);
    t.equal(refusals, "TypeError,TypeError,TypeError,TypeError");
  },

  async "computed styles need no exception of the policy"(t) {
    const page = await t.open();
    t.equal(await page.evaluate(() => {
      const probe = document.createElement("i");
      probe.setAttribute("style", "color: red");
      return probe.style.color;
    }), "", "a style attribute");
    t.forgive(/Content Security Policy/);
    const head = page.locator(".timeline .head, .head").first();
    await head.waitFor();
    t.check((await head.evaluate((element) => element.style.transform)).startsWith("translateX"), "the timeline's head stands where time is");
  },

  async "a scenario comes from this site alone, however its address is written"(t) {
    const other = await elsewhere();
    for (const hostile of [other.url, other.url.replace("http:", ""), `\\\\${new URL(other.url).host}/x.yaml`, "../outside.yaml", "%2e%2e/outside.yaml", "/outside.yaml", "data:text/plain,x", "javascript:x"]) {
      const page = await t.open(`?scenario=${encodeURIComponent(hostile)}`);
      await page.getByText("is not a file of this site").waitFor();
      await page.locator("[data-zone] [data-node] [data-pod]").first().waitFor();
      await page.context().close();
    }
    t.equal(other.asked(), 0, "requests that left");
    other.close();
  },
};
