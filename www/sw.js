// The service worker of the offline copy. It stores all files of a version or none, so that page and engine always
// match. `cargo xtask finish` fills in the version and each file's digest.
"use strict";
const VERSION = "unversioned";
const FILES = {};
// Two deployments of the site may share an origin, so the names of caches contain the scope of the service worker.
const CACHE_PREFIX = `podscope ${registration.scope} `;
const CACHE_NAME = CACHE_PREFIX + VERSION;

// The page's Content-Security-Policy does not apply to this worker, and not every host sends headers, so the worker
// restricts its own requests to this site.
const originalFetch = self.fetch.bind(self);
self.fetch = async (input, init) => {
  const request = new Request(input, init);
  if (new URL(request.url).origin !== location.origin) throw new TypeError(`${request.url} is not of this site`);
  return originalFetch(request);
};

/** Fetches a file and checks its digest. Fails if the host serves a mixture of versions. */
const fetchFile = async ([file, integrity]) => {
  const answer = await self.fetch(file, { cache: "no-cache", mode: "same-origin", integrity });
  if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
  // A new Response, because a redirected response may not answer a navigation.
  return [file, new Response(await answer.blob(), { headers: answer.headers })];
};

addEventListener("install", (event) => event.waitUntil((async () => {
  const fetchedFiles = await Promise.all(Object.entries(FILES).map(fetchFile));
  const isNewCache = !(await caches.has(CACHE_NAME));
  try {
    const cache = await caches.open(CACHE_NAME);
    await Promise.all(fetchedFiles.map(([file, answer]) => cache.put(file, answer)));
  } catch (error) {
    if (isNewCache) await caches.delete(CACHE_NAME);
    throw error;
  }
})()));

/** Deletes the caches of other versions, except those of versions that a tab still runs: each such tab holds a lock
 *  (www/boot.js). */
const deleteOldCaches = async () => {
  if (registration.installing || registration.waiting) return;
  const heldLocks = (await navigator.locks.query()).held.map((lock) => lock.name);
  for (const name of await caches.keys()) {
    // In old versions the cache's name had no scope. Such a cache belongs to this site if it contains the site's page.
    const isUnscopedCache = /^podscope-[0-9a-f]+$/.test(name) && await caches.match(registration.scope, { cacheName: name });
    const isUnusedCache = name.startsWith(CACHE_PREFIX) && name !== CACHE_NAME && !heldLocks.includes(name);
    if (isUnscopedCache || isUnusedCache) await caches.delete(name);
  }
};

addEventListener("activate", (event) => event.waitUntil((async () => {
  await deleteOldCaches().catch(() => { /* the next start of a page tries again */ });
  await clients.claim();
})()));

addEventListener("message", (event) => {
  if (event.data === "take over") skipWaiting();
  if (event.data === "tidy") event.waitUntil(deleteOldCaches().catch(() => { /* the next start tries again */ }));
});

/** Returns the stored response for a request: from the cache of this version, or else from the cache of a version that
 *  a tab still runs. */
const storedResponse = async (request) => {
  try {
    if (request.mode === "navigate") {
      // The page is stored under the address of its directory, because some hosts redirect `index.html` there.
      const { origin, pathname } = new URL(request.url);
      const pageUrl = origin + pathname.replace(/\/index\.html$/, "/");
      return await caches.match(pageUrl, { cacheName: CACHE_NAME });
    }
    const otherCacheNames = (await caches.keys()).filter((name) => name.startsWith(CACHE_PREFIX) && name !== CACHE_NAME);
    for (const cacheName of [CACHE_NAME, ...otherCacheNames]) {
      const answer = await caches.match(request, { cacheName });
      if (answer) return answer;
    }
  } catch { /* a copy that cannot be read is ignored: the network answers */ }
};

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  event.respondWith(storedResponse(request).then((answer) => answer ?? originalFetch(request)));
});
