// The offline copy: every file of one version, kept together, so that page and engine always
// match. `cargo xtask finish` fills in the version and the files.
"use strict";
const VERSION = "unversioned";
const FILES = [];
const CACHE = `podscope-${VERSION}`;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) =>
    cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })))));
});

addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("podscope-") && name !== CACHE) await caches.delete(name);
    }
    await clients.claim();
  })());
});

addEventListener("message", (event) => {
  if (event.data === "take over") skipWaiting();
});

addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(CACHE);
    const isPage = event.request.mode === "navigate";
    // The page is kept by its directory, which some hosts make of its file's name.
    const wanted = isPage && url.pathname.endsWith("/index.html") ? "./" : event.request;
    const kept = await cache.match(wanted, { ignoreSearch: isPage });
    return kept ?? fetch(event.request);
  })());
});
