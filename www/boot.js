// Runs before any wasm is loaded: sets the theme without a flash, starts the engine's worker (which loads its wasm only
// after the page's wasm has started: crates/web/src/main.rs), reports missing browser features, registers the offline
// copy, and retries once if a start fails.
"use strict";
(() => {
  const root = document.documentElement;
  const siteUrl = new URL("./", document.baseURI).href;
  // Keys contain the site's path (crates/web/src/browser/store.rs).
  const storedValue = (key) => localStorage.getItem(`podscope:${location.pathname.replace(/\/[^/]*$/, "")}/${key}`);
  try {
    const theme = storedValue("theme") ?? localStorage.getItem("podscope.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch { /* storage may be forbidden: the system's theme is used */ }

  try {
    if (location.hash.length > 1 || location.search || storedValue("sessions")) root.dataset.opens = "";
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
  const RETRIED_KEY = `podscope.retried ${siteUrl}`;
  let hasFailed = false;
  const markStarted = (part) => {
    started[part] = true;
    try {
      if (started.page && started.engine) sessionStorage.removeItem(RETRIED_KEY);
    } catch { /* storage is forbidden, so there is no mark to remove */ }
  };
  const reportFailedStart = async (why) => {
    if (hasFailed || (started.page && started.engine)) return;
    hasFailed = true;
    showStatus(`Podscope could not start: ${why}`);
    try {
      if (sessionStorage.getItem(RETRIED_KEY)) return;
      // A HEAD request is not answered by the offline copy, so it fails without a network. Then the copy is kept.
      if (!(await fetch(location.pathname, { method: "HEAD", cache: "no-store" })).ok) return;
      sessionStorage.setItem(RETRIED_KEY, "1");
      for (const name of await caches.keys()) {
        if (name.startsWith(`podscope ${siteUrl} `)) await caches.delete(name);
      }
      const registration = await navigator.serviceWorker?.getRegistration();
      if (registration?.scope === siteUrl) await registration.unregister();
      location.reload();
    } catch { /* no network, or storage is forbidden: the message stays */ }
  };
  addEventListener("error", ({ message, target }) => {
    // The error of an element whose file did not load does not bubble and has no message.
    const failedFile = (target instanceof HTMLScriptElement && target.src) || (target instanceof HTMLLinkElement && target.href);
    if (message || (failedFile && failedFile !== window.podscopeEditorSource)) reportFailedStart(message || `${failedFile} did not load`);
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => reportFailedStart(reason));

  // The page's wasm is split into a first part and the rest (crates/web/src/rest_of_page.rs), except in a build
  // without splitting.
  const REST_URL = root.dataset.rest && new URL(root.dataset.rest, siteUrl).href;
  /** Instantiates the rest of the page's wasm, which writes its functions to the tables of the first part. `first`: the
   *  exports of the first part. */
  const instantiateRest = (restModule, first) => {
    if (first.is_loaded?.value !== 0) return;
    const functionsByTableSlot = new Proxy({}, { get: (_, slot) => first.slots.get(Number(slot)) });
    new WebAssembly.Instance(restModule, { first, functions: functionsByTableSlot });
  };
  const REST_TIMEOUT_MS = 60_000;
  let restFetchController;
  const fetchRest = async () => {
    const controller = restFetchController = new AbortController();
    const timeout = setTimeout(() => controller.abort(), REST_TIMEOUT_MS);
    try {
      const response = await fetch(REST_URL, { signal: controller.signal });
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      return await WebAssembly.compile(await response.arrayBuffer());
    } finally {
      clearTimeout(timeout);
    }
  };
  let restPromise;
  /** Loads the rest of the wasm before the page calls it, unless it is loaded already. Returns whether it is loaded. A
   *  failure is not reported here: `podscopeLoadRest` tries again, and reports it. */
  const loadRestAhead = async (first) => {
    try {
      if (first.is_loaded?.value === 0) instantiateRest(await (restPromise ??= fetchRest()), first);
      return true;
    } catch {
      restPromise = undefined;
      return first.is_loaded.value !== 0;
    }
  };
  // A visit whose address has a fragment or a query, that has stored sessions, or is in a frame, needs both parts of
  // the wasm before anything is drawn. A visit that the offline copy serves loads both at once, too: the copy
  // contains both, and in most browsers it cannot answer the synchronous request of `podscopeLoadRest`.
  const loadsRestAtOnce = root.hasAttribute("data-opens") || window.parent !== window || Boolean(navigator.serviceWorker?.controller);
  if (REST_URL && loadsRestAtOnce) (restPromise = fetchRest()).catch(() => { /* reported when the rest is needed */ });
  /** Loads the rest of the wasm before anything is drawn, if this visit needs it that early. Returns whether the rest
   *  is loaded or not needed yet. */
  window.podscopePrepare = async (first, isNeeded) => !(loadsRestAtOnce || isNeeded) || loadRestAhead(first);
  /** Loads the rest of the wasm synchronously: the page has called a function of it, and wasm cannot wait for a
   *  promise. */
  window.podscopeLoadRest = (first) => {
    // Abort the fetch in the background, so that the request below gets the whole bandwidth.
    restFetchController?.abort();
    try {
      const request = new XMLHttpRequest();
      request.open("GET", REST_URL, false);
      // A synchronous request of a page can return only text: here a character for each byte.
      request.overrideMimeType("text/plain; charset=x-user-defined");
      request.send();
      if (request.status !== 200) throw new Error(`${request.status} ${request.statusText}`);
      instantiateRest(new WebAssembly.Module(Uint8Array.from(request.responseText, (c) => c.charCodeAt(0))), first);
    } catch (error) {
      // A failed start is reported by `reportFailedStart`.
      if (started.page && started.engine) showRestNotLoaded();
      throw new Error(`a part of the page did not load: ${error.message}`);
    }
  };
  /** Shows an alert that a part of the page did not load, with a button to reload. */
  const showRestNotLoaded = () => {
    const alert = document.createElement("p");
    const button = document.createElement("button");
    alert.className = "loss toast";
    alert.setAttribute("role", "alert");
    const text = document.createElement("span");
    text.textContent = "A part of the page could not be loaded. Check the connection, then reload.";
    button.textContent = "Reload";
    button.addEventListener("click", () => location.reload());
    alert.append(text, button);
    document.body.append(alert);
  };
  let resolveEngineAnswered;
  const engineAnswered = new Promise((resolve) => { resolveEngineAnswered = resolve; });
  addEventListener("TrunkApplicationStarted", async ({ detail }) => {
    markStarted("page");
    await engineAnswered;
    loadRestAhead(detail.wasm);
  });

  // The only scripts that this page starts. The Trusted Types policy takes their names, never URLs. A worker from a
  // `blob:` inherits the page's Content-Security-Policy, whatever headers the host sends with the script.
  const SCRIPT_URLS = {
    engine: () => URL.createObjectURL(new Blob([`import ${JSON.stringify(new URL(root.dataset.engine, siteUrl).href)};`], { type: "text/javascript" })),
    editor: () => new URL(root.dataset.editor, siteUrl).href,
    offline: () => new URL("sw.js", siteUrl).href,
  };
  const policyRules = { createScriptURL: (name) => SCRIPT_URLS[name]() };
  const policy = window.trustedTypes?.createPolicy("podscope", policyRules) ?? policyRules;
  /** Creates the worker of a new engine (crates/web/src/engine.rs), unless `podscope serve` is the engine
   *  (crates/serve/src/page.js). */
  window.podscopeEngine ??= () => new Worker(policy.createScriptURL("engine"), { type: "module" });
  const newEngineWorker = window.podscopeEngine;
  window.podscopeEngine = () => {
    const worker = newEngineWorker();
    worker.addEventListener("message", resolveEngineAnswered, { once: true });
    return worker;
  };
  /** Returns a script element that loads the editor (crates/web/src/components/editor.rs). */
  window.podscopeEditorScript = () => {
    const script = document.createElement("script");
    script.type = "module";
    script.src = policy.createScriptURL("editor");
    window.podscopeEditorSource = script.src; // the page works without the editor, so its failure is not a failed start
    return script;
  };

  /** Records a film as a video (www/film/film.js); the module is loaded at its first use (crates/web/src/components/share.rs). */
  window.podscopeRecord = async (film) => (await import(new URL(root.dataset.film, siteUrl).href)).record(film);

  /** Requests a lock that only one tab holds at a time. Calls `answer` with whether this tab holds it, or without an argument
   *  if the browser has no locks. Returns the function that releases it (crates/web/src/browser/store.rs). */
  window.podscopeHold = (name, answer) => {
    let releaseLock;
    const untilReleased = new Promise((resolve) => { releaseLock = resolve; });
    if (!navigator.locks) answer();
    else navigator.locks.request(name, { ifAvailable: true }, (lock) => { answer(lock !== null); return lock && untilReleased; }).catch(() => answer());
    return releaseLock;
  };

  const missingFeatures = [
    ["WebAssembly", typeof WebAssembly === "object"],
    ["module workers", typeof Worker === "function"],
    ["CompressionStream", typeof CompressionStream === "function"],
    ["CSS light-dark()", CSS.supports("color", "light-dark(#000, #fff)")],
  ].filter(([, there]) => !there).map(([what]) => what);
  if (missingFeatures.length > 0) {
    hasFailed = true;
    showStatus(`This browser lacks ${missingFeatures.join(", ")}. Podscope runs in Chrome and Edge 123, Firefox 120, Safari 17.5 and later.`);
  }

  // The page (crates/web) takes over this worker. After a trap of the engine the page starts another worker.
  try {
    const worker = window.podscopeEngine();
    worker.addEventListener("message", () => markStarted("engine"), { once: true });
    worker.addEventListener("error", (event) => {
      worker.failed = event.message || "the engine did not load";
      reportFailedStart(worker.failed);
    });
    worker.early = []; // messages from before the page listens
    worker.onmessage = (event) => worker.early.push(event.data);
    window.podscopeWorker = worker;
  } catch (error) {
    reportFailedStart(`the engine: ${error.message}`);
  }

  // The offline copy. A new version is activated only when the user accepts it: the page receives the event
  // `podscope-update` and answers with `podscope-update-now`. A tab receives the same event if another tab has
  // activated the new version; until the tab reloads, the offline copy also keeps the files of the tab's version
  // (www/sw.js).
  const version = root.dataset.version;
  if (!version || !navigator.serviceWorker) return;
  navigator.locks?.request(`podscope ${siteUrl} ${version}`, { mode: "shared" }, () => new Promise(() => {}));
  addEventListener("load", async () => {
    try {
      const serviceWorkers = navigator.serviceWorker;
      const registration = await serviceWorkers.register(policy.createScriptURL("offline"));
      registration.active?.postMessage("tidy"); // this tab may have been the last one with its previous version
      // The controller may be the service worker of a site whose path contains this one.
      const isControlledByOurWorker = () => serviceWorkers.controller?.scriptURL === new URL("sw.js", siteUrl).href;
      let hadController = isControlledByOurWorker();
      let isUpdateRequested = false;
      const offerUpdate = () => {
        if (window.podscopeUpdate) return;
        window.podscopeUpdate = true;
        // The page listens to the event only after it has replaced the loading screen (the shell).
        const notify = () => {
          if (!document.getElementById("boot-status")) dispatchEvent(new Event("podscope-update"));
          else setTimeout(notify, 200);
        };
        notify();
      };
      serviceWorkers.addEventListener("controllerchange", () => {
        if (isUpdateRequested) location.reload();
        else if (hadController) offerUpdate();
        hadController = isControlledByOurWorker();
      });
      addEventListener("podscope-update-now", () => {
        if (!registration.waiting) return location.reload();
        isUpdateRequested = true;
        registration.waiting.postMessage("take over");
      });
      const offerUpdateIfWaiting = () => { if (registration.waiting && hadController) offerUpdate(); };
      offerUpdateIfWaiting();
      registration.addEventListener("updatefound", () => {
        registration.installing?.addEventListener("statechange", offerUpdateIfWaiting);
      });
    } catch { /* without an offline copy the page works all the same */ }
  });
})();
