// The offline copy: every file of one version, kept whole or not at all, so that page and engine
// always match. `cargo xtask finish` fills in the version and each file's digest.
"use strict";
const VERSION = "unversioned";
const FILES = {};
// Two deployments may share an origin: each knows its own copies by where it lies.
const OURS = `podscope ${registration.scope} `;
const CACHE = OURS + VERSION;

// No policy of the page reaches this worker, and not every host sends headers: it binds itself.
const ask = self.fetch.bind(self);
self.fetch = async (what, how) => {
  const request = new Request(what, how);
  if (new URL(request.url).origin !== location.origin) throw new TypeError(`${request.url} is not of this site`);
  return ask(request);
};

/** A file as its digest says it is, or an error: a host that mixes versions gives us none. */
const fetched = async ([file, integrity]) => {
  const answer = await self.fetch(file, { cache: "no-cache", mode: "same-origin", integrity });
  if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
  // Made anew: what came by a redirect may not answer for a page.
  return [file, new Response(await answer.blob(), { headers: answer.headers })];
};

addEventListener("install", (event) => event.waitUntil((async () => {
  const answers = await Promise.all(Object.entries(FILES).map(fetched));
  const isNew = !(await caches.has(CACHE));
  try {
    const cache = await caches.open(CACHE);
    await Promise.all(answers.map(([file, answer]) => cache.put(file, answer)));
  } catch (error) {
    if (isNew) await caches.delete(CACHE);
    throw error;
  }
})()));

/** Drops other versions, but not those of which a tab lives: each holds a lock (www/boot.js). */
const tidy = async () => {
  if (registration.installing || registration.waiting) return;
  const held = (await navigator.locks.query()).held.map((lock) => lock.name);
  for (const name of await caches.keys()) {
    // Names of before had no place: a copy is ours if it holds our page.
    const isOld = /^podscope-[0-9a-f]+$/.test(name) && await caches.match(registration.scope, { cacheName: name });
    const isOurs = name.startsWith(OURS) && name !== CACHE && !held.includes(name);
    if (isOld || isOurs) await caches.delete(name);
  }
};

addEventListener("activate", (event) => event.waitUntil((async () => {
  await tidy().catch(() => { /* a start will */ });
  await clients.claim();
})()));

addEventListener("message", (event) => {
  if (event.data === "take over") skipWaiting();
  if (event.data === "tidy") event.waitUntil(tidy().catch(() => { /* another start will */ }));
});

/** What is kept of a request's answer: of this version, or a file of one that a tab still runs. */
const kept = async (request) => {
  try {
    if (request.mode === "navigate") {
      // The page is kept by its directory, which some hosts make of its file's name.
      const { origin, pathname } = new URL(request.url);
      const page = origin + pathname.replace(/\/index\.html$/, "/");
      return await caches.match(page, { cacheName: CACHE });
    }
    const others = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== CACHE);
    for (const cacheName of [CACHE, ...others]) {
      const answer = await caches.match(request, { cacheName });
      if (answer) return answer;
    }
  } catch { /* a copy that cannot be read is none: the network has it */ }
};

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  event.respondWith(kept(request).then((answer) => answer ?? ask(request)));
});
