// Versions of the site and their offline copies: an update breaks no open page.
// Shows: P-01, Q-03
import { expect, test } from "../test.mjs";

const expectCluster = (page) => expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
const pageVersion = (page) => page.locator("html").getAttribute("data-version");
const offlineCopies = (page) => page.evaluate(() => caches.keys());
/** Accepts the update that the page offers. */
const acceptUpdate = async (t, page) => {
  await page.waitForFunction(() => window.podscopeUpdate === true);
  await Promise.all([page.waitForEvent("load"), page.evaluate(() => { dispatchEvent(new Event("podscope-update-now")); })]);
  await t.waitUntilReady(page);
};
/** Waits until only these versions have an offline copy. */
const waitForVersions = (page, versions) => page.waitForFunction(async (versions) =>
  (await caches.keys()).map((name) => name.split(" ").at(-1)).sort().join() === versions, versions);
const openWithOfflineCopy = async (t, options = {}) => {
  const page = await t.open("", { offlineCopy: true, ...options });
  await t.waitForOfflineCopy(page);
  return page;
};
const expectWorksOffline = async (page) => {
  await page.context().setOffline(true);
  await page.reload();
  await expectCluster(page);
};

test("a new version waits until it is accepted, then replaces the old one completely", async ({ t }) => {
  const page = await openWithOfflineCopy(t);
  await t.publish("newer");
  expect(await t.checkForUpdate(page)).toBe("installed");
  expect((await offlineCopies(page)).length, "both versions have a copy while the update waits").toBe(2);
  await acceptUpdate(t, page);
  expect(await pageVersion(page)).toBe("newer");
  await waitForVersions(page, "newer");
  await expectWorksOffline(page);
});

test("an incompletely published version is not installed until it is complete", async ({ t }) => {
  const page = await openWithOfflineCopy(t);
  const before = await pageVersion(page);
  await t.publish("newer", { index: false });
  expect(await t.checkForUpdate(page)).toBe("redundant");
  t.allowComplaint(/integrity/);
  expect((await offlineCopies(page)).length, "no copy of the incomplete version").toBe(1);
  await page.reload();
  await expectCluster(page);
  expect(await pageVersion(page)).toBe(before);
  await t.publish("newest");
  expect(await t.checkForUpdate(page)).toBe("installed");
  await acceptUpdate(t, page);
  expect(await pageVersion(page)).toBe("newest");
});

test.describe(() => {
  test.use({ host: { base: "/moved/" } });

  test("an offline copy works on a host that redirects to index.html", async ({ t }) => {
    t.site.moved.set("/moved/", "/moved/index.html");
    const page = await openWithOfflineCopy(t);
    await page.context().setOffline(true);
    for (const path of ["", "index.html", "?from=afar"]) {
      await page.goto(t.url + path);
      await expectCluster(page);
    }
  });
});

test("an update in one tab notifies another tab, which keeps the files of its version", async ({ t }) => {
  const one = await openWithOfflineCopy(t);
  const other = await t.tab(one.context());
  const before = await pageVersion(other);
  const editorPath = await other.locator("html").getAttribute("data-editor");
  await t.publish("newer", { edit: (text) => text.split("\n").filter((line) => !line.includes(editorPath)).join("\n") });
  t.site.replaced.set(editorPath, null); // the host has only the new version
  expect(await t.checkForUpdate(one)).toBe("installed");
  await acceptUpdate(t, one);
  expect(await pageVersion(one)).toBe("newer");
  await other.waitForFunction(() => window.podscopeUpdate === true);
  expect(await pageVersion(other)).toBe(before);
  expect(await other.evaluate(async (path) => (await fetch(path)).status, editorPath), "the old version's editor is still served").toBe(200);
  await acceptUpdate(t, other);
  expect(await pageVersion(other)).toBe("newer");
  // When no tab of the old version is left, its files are deleted.
  await waitForVersions(other, "newer");
  t.site.replaced.delete(editorPath);
  await t.publish("newest");
  expect(await t.checkForUpdate(one)).toBe("installed");
  await acceptUpdate(t, one);
  await waitForVersions(one, "newer,newest"); // the versions of the other tab and of this one
});

test.describe(() => {
  test.use({ host: { base: "/a/", also: "/a/b/" } });

  test("two deployments on one origin have separate offline copies", async ({ t }) => {
    const outer = await openWithOfflineCopy(t);
    const inner = await t.tab(outer.context(), "b/");
    await inner.waitForFunction(() => navigator.serviceWorker.controller?.scriptURL.endsWith("/a/b/sw.js"));
    expect((await offlineCopies(inner)).length, "each deployment has a copy").toBe(2);
    expect(await inner.evaluate(() => Boolean(window.podscopeUpdate)), "no update is offered").toBe(false);
    await t.publish("newer");
    expect(await t.checkForUpdate(inner)).toBe("installed");
    await acceptUpdate(t, inner);
    expect(await pageVersion(inner)).toBe("newer");
    const before = await pageVersion(outer);
    expect(before, "the other page keeps its version").not.toBe("newer");
    expect(await offlineCopies(inner), "the other page keeps its copy").toContain(`podscope ${t.url} ${before}`);
    await expectWorksOffline(outer);
  });
});

test("a rollback to an older version is installed like an update", async ({ t }) => {
  const page = await openWithOfflineCopy(t);
  const before = await pageVersion(page);
  await t.publish("newer");
  await t.checkForUpdate(page);
  await acceptUpdate(t, page);
  expect(await pageVersion(page)).toBe("newer");
  t.site.replaced.clear();
  expect(await t.checkForUpdate(page)).toBe("installed");
  await acceptUpdate(t, page);
  expect(await pageVersion(page)).toBe(before);
  await expectWorksOffline(page);
});

// Shows: T-08
test("lessons that fail to load are reported, and the next attempt loads them", async ({ t }) => {
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

test("a damaged offline copy is deleted, and the page is loaded from the network", async ({ t }) => {
  const page = await openWithOfflineCopy(t);
  await page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        if (request.url.endsWith(".wasm")) await cache.put(request, new Response("junk", { headers: { "Content-Type": "application/wasm" } }));
      }
    }
  });
  await page.reload({ waitUntil: "commit" });
  await expectCluster(page);
  t.allowComplaint(/./);
});

test("the page is loaded from the network if the offline copy is not readable", async ({ t }) => {
  const page = await openWithOfflineCopy(t);
  await page.evaluate(async () => { for (const name of await caches.keys()) await caches.delete(name); });
  await page.reload();
  await expectCluster(page);
});
