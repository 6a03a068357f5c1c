// Versions of the site and their offline copies: an update breaks nobody. P-01, Q-03.
import { on } from "../harness.mjs";

const alive = (page) => page.locator("[data-zone] [data-node] [data-pod]").first().waitFor();
const version = (page) => page.locator("html").getAttribute("data-version");
const copies = (page) => page.evaluate(() => caches.keys());
/** Takes the version that is offered. */
const accept = async (t, page) => {
  await page.waitForFunction(() => window.podscopeUpdate === true);
  await Promise.all([page.waitForEvent("load"), page.evaluate(() => { dispatchEvent(new Event("podscope-update-now")); })]);
  await t.ready(page);
};
/** No other versions are kept, soon. */
const only = (page, versions) => page.waitForFunction(async (versions) =>
  (await caches.keys()).map((name) => name.split(" ").at(-1)).sort().join() === versions, versions);
const kept = async (t, options = {}) => {
  const page = await t.open("", { offlineCopy: true, ...options });
  await t.keptOffline(page);
  return page;
};
const offline = async (page) => {
  await page.context().setOffline(true);
  await page.reload();
  await alive(page);
};

export const stories = {
  async "a new version waits until it is wanted, then comes whole"(t) {
    const page = await kept(t);
    await t.publish("newer");
    t.equal(await t.update(page), "installed");
    t.equal((await copies(page)).length, 2, "copies while it waits");
    await accept(t, page);
    t.equal(await version(page), "newer");
    await only(page, "newer");
    await offline(page);
  },

  async "a version whose page is stale on the host is not installed; once it is whole, it is"(t) {
    const page = await kept(t);
    const before = await version(page);
    await t.publish("newer", { index: false });
    t.equal(await t.update(page), "redundant");
    t.forgive(/integrity/);
    t.equal((await copies(page)).length, 1, "nothing of it is kept");
    await page.reload();
    await alive(page);
    t.equal(await version(page), before);
    await t.publish("newest");
    t.equal(await t.update(page), "installed");
    await accept(t, page);
    t.equal(await version(page), "newest");
  },

  "a host that redirects to the page's file keeps a copy as well": on({ base: "/moved/" }, async (t) => {
    t.site.moved.set("/moved/", "/moved/index.html");
    const page = await kept(t);
    await page.context().setOffline(true);
    for (const path of ["", "index.html", "?from=afar"]) {
      await page.goto(t.url + path);
      await alive(page);
    }
  }),

  async "two tabs through an update: the other one hears of it and keeps its own version's files"(t) {
    const one = await kept(t);
    const other = await t.tab(one.context());
    const before = await version(other);
    const editor = await other.locator("html").getAttribute("data-editor");
    await t.publish("newer", { edit: (text) => text.split("\n").filter((line) => !line.includes(editor)).join("\n") });
    t.site.replaced.set(editor, null); // the host has the new version alone
    t.equal(await t.update(one), "installed");
    await accept(t, one);
    t.equal(await version(one), "newer");
    await other.waitForFunction(() => window.podscopeUpdate === true);
    t.equal(await version(other), before);
    t.equal(await other.evaluate(async (editor) => (await fetch(editor)).status, editor), 200, "its editor");
    await accept(t, other);
    t.equal(await version(other), "newer");
    // With no tab of the old one left its files go.
    await only(other, "newer");
    t.site.replaced.delete(editor);
    await t.publish("newest");
    t.equal(await t.update(one), "installed");
    await accept(t, one);
    await only(one, "newer,newest"); // the other tab's, and this one's
  },

  "two deployments on one origin keep their copies apart": on({ base: "/a/", also: "/a/b/" }, async (t) => {
    const outer = await kept(t);
    const inner = await t.tab(outer.context(), "b/");
    await inner.waitForFunction(() => navigator.serviceWorker.controller?.scriptURL.endsWith("/a/b/sw.js"));
    t.equal((await copies(inner)).length, 2, "a copy each");
    t.equal(await inner.evaluate(() => Boolean(window.podscopeUpdate)), false, "an update");
    await t.publish("newer");
    t.equal(await t.update(inner), "installed");
    await accept(t, inner);
    t.equal(await version(inner), "newer");
    const before = await version(outer);
    t.check(before !== "newer", "the other page is left alone");
    t.check((await copies(inner)).includes(`podscope ${t.url} ${before}`), "and its copy");
    await offline(outer);
  }),

  async "a version that is taken back is left as it came"(t) {
    const page = await kept(t);
    const before = await version(page);
    await t.publish("newer");
    await t.update(page);
    await accept(t, page);
    t.equal(await version(page), "newer");
    t.site.replaced.clear();
    t.equal(await t.update(page), "installed");
    await accept(t, page);
    t.equal(await version(page), before);
    await offline(page);
  },

  async "lessons that cannot be had are told in words, and come at the next try (T-08)"(t) {
    const page = await t.open("");
    const engine = await page.locator("html").getAttribute("data-engine");
    const lessons = engine.replace("worker.js", "lessons");
    t.site.replaced.set(lessons, null);
    t.forgive(/404/);
    await page.goto(`${t.url}#lesson=first-pod`);
    const dialog = page.getByRole("dialog", { name: "This cannot be opened" });
    await dialog.getByText("the lessons did not load (Error: 404 Not Found): try it again").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await t.command(page, "kubectl get nodes");
    await page.getByText("c-2").first().waitFor();
    t.site.replaced.delete(lessons);
    await page.goto(`${t.url}#lesson=sidecars`);
    await t.ready(page);
    await page.locator(".story").getByRole("heading", { name: "Sidecars" }).first().waitFor();
  },

  async "a copy that is damaged is dropped, and the page comes from the network"(t) {
    const page = await kept(t);
    await page.evaluate(async () => {
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          if (request.url.endsWith(".wasm")) await cache.put(request, new Response("junk", { headers: { "Content-Type": "application/wasm" } }));
        }
      }
    });
    await page.reload({ waitUntil: "commit" });
    await alive(page);
    t.forgive(/./);
  },

  async "a copy that cannot be read is none: the network answers"(t) {
    const page = await kept(t);
    await page.evaluate(async () => { for (const name of await caches.keys()) await caches.delete(name); });
    await page.reload();
    await alive(page);
  },
};
