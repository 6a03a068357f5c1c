// Before any wasm: the theme without a flash, the engine's worker (its wasm loads beside the
// page's), a clear word to browsers that cannot run it, and the offline copy.
"use strict";
(() => {
  const root = document.documentElement;
  let saved = false;
  try {
    saved = localStorage.getItem("podscope.session") !== null;
    const theme = localStorage.getItem("podscope.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch { /* storage may be forbidden: the system's theme it is */ }

  const missing = [
    ["WebAssembly", typeof WebAssembly === "object"],
    ["module workers", typeof Worker === "function"],
    ["CompressionStream", typeof CompressionStream === "function"],
    ["CSS light-dark()", CSS.supports("color", "light-dark(#000, #fff)")],
  ].filter(([, there]) => !there).map(([what]) => what);
  const say = (text) => {
    const show = () => {
      const status = document.getElementById("boot-status");
      if (status) status.textContent = text;
    };
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", show);
    else show();
  };
  if (missing.length > 0) {
    say(`This browser lacks ${missing.join(", ")}. Podscope runs in Chrome and Edge 123, Firefox 120, Safari 17.5 and later.`);
  }

  // In a release build the code that a first visit does not run is a module of its own, the
  // page's and the engine's (crates/split). Who comes back, or by a link, gets all of it at once;
  // else the page's comes when a person first touches the page, or at the latest in the middle of
  // the call that needs it.
  const whole = location.hash.length > 1 || Boolean(navigator.serviceWorker?.controller) || saved;
  if (root.dataset.rest) {
    const rest = new URL(root.dataset.rest, document.baseURI);
    let asked, compiled;
    const ask = () => {
      asked ??= fetch(rest).then(async (answer) => {
        if (answer.ok) compiled = await WebAssembly.compile(await answer.arrayBuffer());
      }).catch(() => { asked = undefined; });
      return asked;
    };
    if (whole) window.podscopeRest = ask(); // the page's start waits for it (crates/xtask/src/halves.rs)
    for (const touch of ["pointermove", "pointerdown", "touchstart", "keydown", "wheel"]) {
      addEventListener(touch, ask, { once: true, passive: true, capture: true });
    }
    const atOnce = () => {
      const request = new XMLHttpRequest();
      request.open("GET", rest, false);
      request.overrideMimeType("text/plain; charset=x-user-defined"); // bytes, on the page's own thread
      request.send();
      if (request.status !== 200) throw new Error(`a part of the page did not load (${request.status})`);
      return new WebAssembly.Module(Uint8Array.from(request.responseText, (char) => char.charCodeAt(0) & 255));
    };
    window.loadRest = () => new WebAssembly.Instance(compiled ?? atOnce(), { first: window.podscopePage });
  }

  // crates/web takes this worker over, and starts another when it has trapped.
  try {
    const worker = new Worker(new URL(root.dataset.engine, document.baseURI), { type: "module", name: root.dataset.rest && whole ? "whole" : "" });
    worker.addEventListener("error", (event) => { worker.failed = event.message || "the engine did not load"; });
    worker.early = []; // what it says before the page listens
    worker.onmessage = (event) => worker.early.push(event.data);
    window.podscopeWorker = worker;
  } catch (error) {
    say(`The engine cannot start: ${error.message}`);
  }
  addEventListener("error", (event) => {
    if (document.getElementById("boot-status")) say(`Podscope could not start: ${event.message}`);
  });
  addEventListener("unhandledrejection", (event) => {
    if (document.getElementById("boot-status")) say(`Podscope could not start: ${event.reason}`);
  });

  // The offline copy. A new version waits until the person wants it: the page hears
  // `podscope-update` and answers with `podscope-update-now`.
  if (root.dataset.version && "serviceWorker" in navigator) {
    addEventListener("load", async () => {
      try {
        const registration = await navigator.serviceWorker.register("sw.js");
        const offer = () => {
          const next = registration.waiting;
          if (!next || !navigator.serviceWorker.controller || window.podscopeUpdate) return;
          window.podscopeUpdate = true;
          addEventListener("podscope-update-now", () => {
            navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
            next.postMessage("take over");
          }, { once: true });
          // The page listens once it has taken the shell's place.
          const tell = () => {
            if (document.getElementById("boot-status")) setTimeout(tell, 200);
            else dispatchEvent(new Event("podscope-update"));
          };
          tell();
        };
        offer();
        registration.addEventListener("updatefound", () => {
          registration.installing?.addEventListener("statechange", offer);
        });
      } catch { /* no offline copy, nothing else is lost */ }
    });
  }
})();
