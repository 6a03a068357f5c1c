// The page sends nothing to other origins, and executes nothing that it receives.
// Shows: Q-04, E-02
import { createServer } from "node:http";
import { expect, test } from "../test.mjs";

/** Starts a server of another origin that answers every request and counts the requests. */
const serveOtherOrigin = async () => {
  let requestCount = 0;
  const server = createServer((_, response) => {
    requestCount += 1;
    response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end("apiVersion: v1\nkind: Namespace\nmetadata: {name: theirs}\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/x.yaml`, requestCount: () => requestCount, close: () => server.close() };
};
const fetchOutcome = (url) => fetch(url).then(() => "answered", (error) => error.name);

for (const [name, headers] of [["without headers", false], ["that sends the site's headers", true]]) {
  test.describe(() => {
    test.use({ host: { headers } });

    // Shows: Q-04, E-02
    test(`page, engine and service worker cannot reach another origin, on a host ${name}`, async ({ t }) => {
      const other = await serveOtherOrigin();
      const page = await t.open("", { offlineCopy: true });
      await t.waitForOfflineCopy(page);
      expect(await page.evaluate(fetchOutcome, other.url), "the page").toBe("TypeError");
      expect(await page.workers()[0].evaluate(fetchOutcome, other.url), "the engine").toBe("TypeError");
      expect(await page.context().serviceWorkers()[0].evaluate(fetchOutcome, other.url), "the offline copy").toBe("TypeError");
      expect(other.requestCount(), "requests to the other origin").toBe(0);
      t.allowComplaint(/Content Security Policy|requested another origin/);
      other.close();
    });
  });
}

test("strings cannot be assigned as markup or executed as code", async ({ t }) => {
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
  t.allowComplaint(/Trusted|Content Security Policy/);
  expect(refusals).toBe("TypeError,TypeError,TypeError,TypeError");
});

test("styles set by code need no exception in the content security policy", async ({ t }) => {
  const page = await t.open();
  expect(await page.evaluate(() => {
    const probe = document.createElement("i");
    probe.setAttribute("style", "color: red");
    return probe.style.color;
  }), "a style attribute has no effect").toBe("");
  t.allowComplaint(/Content Security Policy/);
  const head = page.locator(".timeline .head, .head").first();
  await expect(head).toBeVisible();
  expect((await head.evaluate((element) => element.style.transform)).startsWith("translateX"), "the timeline's head is positioned by code").toBeTruthy();
});

test("a scenario is loaded only from this site, however its address is written", async ({ t }) => {
  const other = await serveOtherOrigin();
  for (const hostile of [other.url, other.url.replace("http:", ""), `\\\\${new URL(other.url).host}/x.yaml`, "../outside.yaml", "%2e%2e/outside.yaml", "/outside.yaml", "data:text/plain,x", "javascript:x"]) {
    const page = await t.open(`?scenario=${encodeURIComponent(hostile)}`);
    await expect(page.getByText("is not a file of this site")).toBeVisible();
    await expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
    await page.context().close();
  }
  expect(other.requestCount(), "requests to the other origin").toBe(0);
  other.close();
});
