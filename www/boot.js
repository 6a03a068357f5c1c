// Before any wasm: the theme without a flash, the engine's worker (its wasm loads behind the
// page's), a clear word to browsers that cannot run it, the offline copy, and a second try when a
// start fails.
"use strict";
(() => {
  const root = document.documentElement;
  const here = new URL("./", document.baseURI).href;
  // Names carry the site's path (crates/web/src/browser/store.rs).
  const kept = (key) => localStorage.getItem(`podscope:${location.pathname.replace(/\/[^/]*$/, "")}/${key}`);
  try {
    const theme = kept("theme") ?? localStorage.getItem("podscope.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch { /* storage may be forbidden: the system's theme it is */ }

  try {
    if (location.hash.length > 1 || location.search || kept("sessions")) root.dataset.opens = "";
  } catch { /* then it is a first visit */ }

  const say = (text) => {
    const show = () => {
      const status = document.getElementById("boot-status");
      if (status) status.textContent = text;
    };
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", show);
    else show();
  };

  // A start that fails may be the fault of a damaged copy, or of a host that was caught between two
  // versions: once, the copy is dropped and the page asked for again, from the network.
  const started = { page: false, engine: false };
  const RETRIED = `podscope.retried ${here}`;
  let failed = false;
  const succeed = (what) => {
    started[what] = true;
    try {
      if (started.page && started.engine) sessionStorage.removeItem(RETRIED);
    } catch { /* forbidden storage holds no mark */ }
  };
  const fail = async (why) => {
    if (failed || (started.page && started.engine)) return;
    failed = true;
    say(`Podscope could not start: ${why}`);
    try {
      if (sessionStorage.getItem(RETRIED)) return;
      // The offline copy answers no HEAD: who cannot reach the network keeps what there is.
      if (!(await fetch(location.pathname, { method: "HEAD", cache: "no-store" })).ok) return;
      sessionStorage.setItem(RETRIED, "1");
      for (const name of await caches.keys()) {
        if (name.startsWith(`podscope ${here} `)) await caches.delete(name);
      }
      const registration = await navigator.serviceWorker?.getRegistration();
      if (registration?.scope === here) await registration.unregister();
      location.reload();
    } catch { /* no network, or storage is forbidden: it stays said */ }
  };
  addEventListener("error", ({ message, target }) => {
    // What a tag asked for and did not get does not bubble, and has no message.
    const file = (target instanceof HTMLScriptElement && target.src) || (target instanceof HTMLLinkElement && target.href);
    if (message || (file && file !== window.podscopeEditorSource)) fail(message || `${file} did not load`);
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => fail(reason));
  addEventListener("TrunkApplicationStarted", () => succeed("page"));

  // The only code that is started from here: names go into this policy, never addresses. From a
  // `blob:` the engine's worker inherits the page's policy, whatever headers the host gives it.
  const CODE = {
    engine: () => URL.createObjectURL(new Blob([`import ${JSON.stringify(new URL(root.dataset.engine, here).href)};`], { type: "text/javascript" })),
    editor: () => new URL(root.dataset.editor, here).href,
    offline: () => new URL("sw.js", here).href,
  };
  const rules = { createScriptURL: (name) => CODE[name]() };
  const policy = window.trustedTypes?.createPolicy("podscope", rules) ?? rules;
  /** A new engine's worker (crates/web/src/engine.rs). */
  window.podscopeEngine = () => new Worker(policy.createScriptURL("engine"), { type: "module" });
  /** A script element that brings the editor (crates/web/src/components/editor.rs). */
  window.podscopeEditorScript = () => {
    const script = document.createElement("script");
    script.type = "module";
    script.src = policy.createScriptURL("editor");
    window.podscopeEditorSource = script.src; // who cannot have it can do without it
    return script;
  };

  /** Asks for a lock that one tab has at a time: `answer` hears whether it is this one, of a browser without locks
   *  nothing. It is held until what this returns is called (crates/web/src/browser/store.rs). */
  window.podscopeHold = (name, answer) => {
    let free;
    const until = new Promise((resolve) => { free = resolve; });
    if (!navigator.locks) answer();
    else navigator.locks.request(name, { ifAvailable: true }, (lock) => { answer(lock !== null); return lock && until; }).catch(() => answer());
    return free;
  };

  const missing = [
    ["WebAssembly", typeof WebAssembly === "object"],
    ["module workers", typeof Worker === "function"],
    ["CompressionStream", typeof CompressionStream === "function"],
    ["CSS light-dark()", CSS.supports("color", "light-dark(#000, #fff)")],
  ].filter(([, there]) => !there).map(([what]) => what);
  if (missing.length > 0) {
    failed = true;
    say(`This browser lacks ${missing.join(", ")}. Podscope runs in Chrome and Edge 123, Firefox 120, Safari 17.5 and later.`);
  }

  // crates/web takes this worker over, and starts another when it has trapped.
  try {
    const worker = window.podscopeEngine();
    worker.addEventListener("message", () => succeed("engine"), { once: true });
    worker.addEventListener("error", (event) => {
      worker.failed = event.message || "the engine did not load";
      fail(worker.failed);
    });
    worker.early = []; // what it says before the page listens
    worker.onmessage = (event) => worker.early.push(event.data);
    window.podscopeWorker = worker;
    // The page is smaller and shows how a first visit begins: the line is its own until it is there.
    const behind = new PerformanceObserver((list) => {
      if (!list.getEntries().some(({ name }) => /podscope-web[^/]*\.wasm$/.test(name))) return;
      behind.disconnect();
      worker.postMessage(null);
    });
    behind.observe({ type: "resource", buffered: true });
  } catch (error) {
    fail(`the engine: ${error.message}`);
  }

  // The offline copy. A new version waits until the person wants it: the page hears
  // `podscope-update` and answers with `podscope-update-now`. A tab whose neighbour took the new
  // version hears the same; until it agrees, the copy holds its own version's files too (www/sw.js).
  const version = root.dataset.version;
  if (!version || !navigator.serviceWorker) return;
  navigator.locks?.request(`podscope ${here} ${version}`, { mode: "shared" }, () => new Promise(() => {}));
  addEventListener("load", async () => {
    try {
      const copies = navigator.serviceWorker;
      const registration = await copies.register(policy.createScriptURL("offline"));
      registration.active?.postMessage("tidy"); // this tab's last version may have been its last one
      // A site around this one may have been in control.
      const ours = () => copies.controller?.scriptURL === new URL("sw.js", here).href;
      let before = ours();
      let wanted = false;
      const offer = () => {
        if (window.podscopeUpdate) return;
        window.podscopeUpdate = true;
        // The page listens once it has taken the shell's place.
        const tell = () => {
          if (started.page) dispatchEvent(new Event("podscope-update"));
          else setTimeout(tell, 200);
        };
        tell();
      };
      copies.addEventListener("controllerchange", () => {
        if (wanted) location.reload();
        else if (before) offer();
        before = ours();
      });
      addEventListener("podscope-update-now", () => {
        if (!registration.waiting) return location.reload();
        wanted = true;
        registration.waiting.postMessage("take over");
      });
      const look = () => { if (registration.waiting && before) offer(); };
      look();
      registration.addEventListener("updatefound", () => {
        registration.installing?.addEventListener("statechange", look);
      });
    } catch { /* no offline copy, nothing else is lost */ }
  });
})();
