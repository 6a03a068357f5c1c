// The start, before any wasm is loaded: sets the theme without a flash, starts the engine's worker (which loads its wasm
// when the page's runs: crates/web/src/main.rs), reports missing browser features, registers the offline copy, and
// retries once if a start fails.
"use strict";
(() => {
  const root = document.documentElement;
  const here = new URL("./", document.baseURI).href;
  // Keys contain the site's path (crates/web/src/browser/store.rs).
  const stored = (key) => localStorage.getItem(`podscope:${location.pathname.replace(/\/[^/]*$/, "")}/${key}`);
  try {
    const theme = stored("theme") ?? localStorage.getItem("podscope.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch { /* storage may be forbidden: the system's theme is used */ }

  try {
    if (location.hash.length > 1 || location.search || stored("sessions")) root.dataset.opens = "";
  } catch { /* without storage it is a first visit */ }

  const showStatus = (text) => {
    const show = () => {
      const status = document.getElementById("boot-status");
      if (status) status.textContent = text;
    };
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", show);
    else show();
  };

  // A start may fail because the offline copy is damaged, or because the host is replacing its files at this moment.
  // After a first failure the offline copy is deleted, and the page is loaded again from the network.
  const started = { page: false, engine: false };
  const RETRIED = `podscope.retried ${here}`;
  let failed = false;
  const succeed = (what) => {
    started[what] = true;
    try {
      if (started.page && started.engine) sessionStorage.removeItem(RETRIED);
    } catch { /* storage is forbidden, so there is no mark to remove */ }
  };
  const fail = async (why) => {
    if (failed || (started.page && started.engine)) return;
    failed = true;
    showStatus(`Podscope could not start: ${why}`);
    try {
      if (sessionStorage.getItem(RETRIED)) return;
      // A HEAD request is not answered by the offline copy, so it fails without a network. Then the copy is kept.
      if (!(await fetch(location.pathname, { method: "HEAD", cache: "no-store" })).ok) return;
      sessionStorage.setItem(RETRIED, "1");
      for (const name of await caches.keys()) {
        if (name.startsWith(`podscope ${here} `)) await caches.delete(name);
      }
      const registration = await navigator.serviceWorker?.getRegistration();
      if (registration?.scope === here) await registration.unregister();
      location.reload();
    } catch { /* no network, or storage is forbidden: the message stays */ }
  };
  addEventListener("error", ({ message, target }) => {
    // The error of an element whose file did not load does not bubble and has no message.
    const file = (target instanceof HTMLScriptElement && target.src) || (target instanceof HTMLLinkElement && target.href);
    if (message || (file && file !== window.podscopeEditorSource)) fail(message || `${file} did not load`);
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => fail(reason));
  addEventListener("TrunkApplicationStarted", () => succeed("page"));

  // The only scripts that this page starts. The Trusted Types policy takes names, never addresses. A worker from a
  // `blob:` inherits the page's Content-Security-Policy, whatever headers the host sends with the script.
  const SCRIPTS = {
    engine: () => URL.createObjectURL(new Blob([`import ${JSON.stringify(new URL(root.dataset.engine, here).href)};`], { type: "text/javascript" })),
    editor: () => new URL(root.dataset.editor, here).href,
    offline: () => new URL("sw.js", here).href,
  };
  const rules = { createScriptURL: (name) => SCRIPTS[name]() };
  const policy = window.trustedTypes?.createPolicy("podscope", rules) ?? rules;
  /** Starts a new engine's worker (crates/web/src/engine.rs), unless `podscope serve` is the engine (crates/serve/src/page.js). */
  window.podscopeEngine ??= () => new Worker(policy.createScriptURL("engine"), { type: "module" });
  /** Returns a script element that loads the editor (crates/web/src/components/editor.rs). */
  window.podscopeEditorScript = () => {
    const script = document.createElement("script");
    script.type = "module";
    script.src = policy.createScriptURL("editor");
    window.podscopeEditorSource = script.src; // the page works without the editor, so its failure is not a failed start
    return script;
  };

  /** Records a film as a video (www/film/film.js); the module is loaded at its first use (crates/web/src/components/share.rs). */
  window.podscopeRecord = async (film) => (await import(new URL(root.dataset.film, here).href)).record(film);

  /** Requests a lock that only one tab holds at a time. Calls `answer` with whether this tab holds it, or without an argument
   *  if the browser has no locks. Returns the function that releases it (crates/web/src/browser/store.rs). */
  window.podscopeHold = (name, answer) => {
    let release;
    const until = new Promise((resolve) => { release = resolve; });
    if (!navigator.locks) answer();
    else navigator.locks.request(name, { ifAvailable: true }, (lock) => { answer(lock !== null); return lock && until; }).catch(() => answer());
    return release;
  };

  const missing = [
    ["WebAssembly", typeof WebAssembly === "object"],
    ["module workers", typeof Worker === "function"],
    ["CompressionStream", typeof CompressionStream === "function"],
    ["CSS light-dark()", CSS.supports("color", "light-dark(#000, #fff)")],
  ].filter(([, there]) => !there).map(([what]) => what);
  if (missing.length > 0) {
    failed = true;
    showStatus(`This browser lacks ${missing.join(", ")}. Podscope runs in Chrome and Edge 123, Firefox 120, Safari 17.5 and later.`);
  }

  // The page (crates/web) takes over this worker. After a trap of the engine the page starts another worker.
  try {
    const worker = window.podscopeEngine();
    worker.addEventListener("message", () => succeed("engine"), { once: true });
    worker.addEventListener("error", (event) => {
      worker.failed = event.message || "the engine did not load";
      fail(worker.failed);
    });
    worker.early = []; // messages from before the page listens
    worker.onmessage = (event) => worker.early.push(event.data);
    window.podscopeWorker = worker;
  } catch (error) {
    fail(`the engine: ${error.message}`);
  }

  // The offline copy. A new version is activated only when the user accepts it: the page receives the event
  // `podscope-update` and answers with `podscope-update-now`. A tab receives the same event if another tab has
  // activated the new version; until the tab reloads, the offline copy also keeps the files of the tab's version
  // (www/sw.js).
  const version = root.dataset.version;
  if (!version || !navigator.serviceWorker) return;
  navigator.locks?.request(`podscope ${here} ${version}`, { mode: "shared" }, () => new Promise(() => {}));
  addEventListener("load", async () => {
    try {
      const copies = navigator.serviceWorker;
      const registration = await copies.register(policy.createScriptURL("offline"));
      registration.active?.postMessage("tidy"); // this tab may have been the last one with its previous version
      // The controller may be the service worker of a site whose path contains this one.
      const isOurWorker = () => copies.controller?.scriptURL === new URL("sw.js", here).href;
      let hadController = isOurWorker();
      let isRequested = false;
      const offer = () => {
        if (window.podscopeUpdate) return;
        window.podscopeUpdate = true;
        // The page listens to the event only after it has replaced the loading screen (the shell).
        const notify = () => {
          if (started.page) dispatchEvent(new Event("podscope-update"));
          else setTimeout(notify, 200);
        };
        notify();
      };
      copies.addEventListener("controllerchange", () => {
        if (isRequested) location.reload();
        else if (hadController) offer();
        hadController = isOurWorker();
      });
      addEventListener("podscope-update-now", () => {
        if (!registration.waiting) return location.reload();
        isRequested = true;
        registration.waiting.postMessage("take over");
      });
      const offerIfWaiting = () => { if (registration.waiting && hadController) offer(); };
      offerIfWaiting();
      registration.addEventListener("updatefound", () => {
        registration.installing?.addEventListener("statechange", offerIfWaiting);
      });
    } catch { /* without an offline copy the page works all the same */ }
  });
})();
