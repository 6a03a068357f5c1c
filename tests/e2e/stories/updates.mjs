// Versions of the site and their offline copies: an update breaks nobody.
// Shows: P-01, Q-03
import { expect, test } from "../test.mjs";

const alive = (page) => expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
const version = (page) => page.locator("html").getAttribute("data-version");
const copies = (page) => page.evaluate(() => caches.keys());
/** Takes the version that is offered. */
const accept = async (t, page) => {
  await page.waitForFunction(() => window.podscopeUpdate === true);
  await Promise.all([page.waitForEvent("load"), page.evaluate(() => { dispatchEvent(new Event("podscope-update-now")); })]);
  await t.waitUntilReady(page);
};
/** No other versions are kept, soon. */
const only = (page, versions) => page.waitForFunction(async (versions) =>
  (await caches.keys()).map((name) => name.split(" ").at(-1)).sort().join() === versions, versions);
const kept = async (t, options = {}) => {
  const page = await t.open("", { offlineCopy: true, ...options });
  await t.waitForOfflineCopy(page);
  return page;
};
const offline = async (page) => {
  await page.context().setOffline(true);
  await page.reload();
  await alive(page);
};

test("a new version waits until it is wanted, then comes whole", async ({ t }) => {
  const page = await kept(t);
  await t.publish("newer");
  expect(await t.checkForUpdate(page)).toBe("installed");
  expect((await copies(page)).length, "copies while it waits").toBe(2);
  await accept(t, page);
  expect(await version(page)).toBe("newer");
  await only(page, "newer");
  await offline(page);
});

test("a version whose page is stale on the host is not installed; once it is whole, it is", async ({ t }) => {
  const page = await kept(t);
  const before = await version(page);
  await t.publish("newer", { index: false });
  expect(await t.checkForUpdate(page)).toBe("redundant");
  t.allowComplaint(/integrity/);
  expect((await copies(page)).length, "nothing of it is kept").toBe(1);
  await page.reload();
  await alive(page);
  expect(await version(page)).toBe(before);
  await t.publish("newest");
  expect(await t.checkForUpdate(page)).toBe("installed");
  await accept(t, page);
  expect(await version(page)).toBe("newest");
});

test.describe(() => {
  test.use({ host: { base: "/moved/" } });

  test("a host that redirects to the page's file keeps a copy as well", async ({ t }) => {
    t.site.moved.set("/moved/", "/moved/index.html");
    const page = await kept(t);
    await page.context().setOffline(true);
    for (const path of ["", "index.html", "?from=afar"]) {
      await page.goto(t.url + path);
      await alive(page);
    }
  });
});

test("two tabs through an update: the other one hears of it and keeps its own version's files", async ({ t }) => {
  const one = await kept(t);
  const other = await t.tab(one.context());
  const before = await version(other);
  const editor = await other.locator("html").getAttribute("data-editor");
  await t.publish("newer", { edit: (text) => text.split("\n").filter((line) => !line.includes(editor)).join("\n") });
  t.site.replaced.set(editor, null); // the host has the new version alone
  expect(await t.checkForUpdate(one)).toBe("installed");
  await accept(t, one);
  expect(await version(one)).toBe("newer");
  await other.waitForFunction(() => window.podscopeUpdate === true);
  expect(await version(other)).toBe(before);
  expect(await other.evaluate(async (editor) => (await fetch(editor)).status, editor), "its editor").toBe(200);
  await accept(t, other);
  expect(await version(other)).toBe("newer");
  // With no tab of the old one left its files go.
  await only(other, "newer");
  t.site.replaced.delete(editor);
  await t.publish("newest");
  expect(await t.checkForUpdate(one)).toBe("installed");
  await accept(t, one);
  await only(one, "newer,newest"); // the other tab's, and this one's
});

test.describe(() => {
  test.use({ host: { base: "/a/", also: "/a/b/" } });

  test("two deployments on one origin keep their copies apart", async ({ t }) => {
    const outer = await kept(t);
    const inner = await t.tab(outer.context(), "b/");
    await inner.waitForFunction(() => navigator.serviceWorker.controller?.scriptURL.endsWith("/a/b/sw.js"));
    expect((await copies(inner)).length, "a copy each").toBe(2);
    expect(await inner.evaluate(() => Boolean(window.podscopeUpdate)), "an update").toBe(false);
    await t.publish("newer");
    expect(await t.checkForUpdate(inner)).toBe("installed");
    await accept(t, inner);
    expect(await version(inner)).toBe("newer");
    const before = await version(outer);
    expect(before, "the other page is left alone").not.toBe("newer");
    expect(await copies(inner), "and its copy").toContain(`podscope ${t.url} ${before}`);
    await offline(outer);
  });
});

test("a version that is taken back is left as it came", async ({ t }) => {
  const page = await kept(t);
  const before = await version(page);
  await t.publish("newer");
  await t.checkForUpdate(page);
  await accept(t, page);
  expect(await version(page)).toBe("newer");
  t.site.replaced.clear();
  expect(await t.checkForUpdate(page)).toBe("installed");
  await accept(t, page);
  expect(await version(page)).toBe(before);
  await offline(page);
});

// Shows: T-08
test("lessons that cannot be had are told in words, and come at the next try", async ({ t }) => {
  const page = await t.open("");
  const engine = await page.locator("html").getAttribute("data-engine");
  const lessons = engine.replace("worker.js", "lessons");
  t.site.replaced.set(lessons, null);
  t.allowComplaint(/404/);
  await page.goto(`${t.url}#lesson=first-pod`);
  const dialog = page.getByRole("dialog", { name: "This cannot be opened" });
  await expect(dialog.getByText("the lessons did not load (Error: 404 Not Found): try it again")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await t.command(page, "kubectl get nodes");
  await expect(page.getByText("c-2").first()).toBeVisible();
  t.site.replaced.delete(lessons);
  await page.goto(`${t.url}#lesson=sidecars`);
  await t.waitUntilReady(page);
  await expect(page.locator(".story").getByRole("heading", { name: "Sidecars" }).first()).toBeVisible();
});

test("a copy that is damaged is dropped, and the page comes from the network", async ({ t }) => {
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
  t.allowComplaint(/./);
});

test("a copy that cannot be read is none: the network answers", async ({ t }) => {
  const page = await kept(t);
  await page.evaluate(async () => { for (const name of await caches.keys()) await caches.delete(name); });
  await page.reload();
  await alive(page);
});
