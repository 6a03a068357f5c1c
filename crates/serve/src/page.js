// Runs in the page of `podscope serve` before www/boot.js and defines `podscopeEngine`, which boot.js calls. It returns
// an engine that is not a worker but this server's session, over a WebSocket with the same messages
// (crates/serve/src/socket.rs).
"use strict";
(() => {
  const root = document.documentElement;
  root.dataset.opens = ""; // not a first visit: boot.js must not draw its cluster in advance
  delete root.dataset.version; // no offline copy: without the server there is no session
  let noticeBar;

  /** Shows a line with a button above the timeline; without a text, removes it. */
  const showNotice = (text, label, press) => {
    noticeBar?.remove();
    noticeBar = undefined;
    if (!text) return;
    noticeBar = document.createElement("div");
    noticeBar.id = "served";
    noticeBar.setAttribute("role", "status");
    Object.assign(noticeBar.style, {
      position: "fixed", insetBlockEnd: "5.25rem", insetInlineStart: "50%", transform: "translateX(-50%)", zIndex: "1000",
      width: "max-content", maxWidth: "calc(100vw - 1rem)", boxSizing: "border-box", display: "flex", alignItems: "center", gap: "0.75rem", padding: "0.4rem 0.8rem", borderRadius: "0.5rem",
      border: "1px solid", background: "Canvas", color: "CanvasText", font: "14px system-ui, sans-serif",
    });
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", press);
    noticeBar.append(text, button);
    if (document.body) document.body.append(noticeBar);
    else addEventListener("DOMContentLoaded", () => { if (noticeBar) document.body.append(noticeBar); });
  };

  /** Loads the page again once the server answers. */
  const reconnect = async () => {
    try {
      if ((await fetch("index.html", { method: "HEAD", cache: "no-store" })).ok) return location.reload();
    } catch { /* the server does not answer: the line stays */ }
    showNotice("podscope serve still does not answer.", "Try again", reconnect);
  };

  /** The interface of a worker (crates/web/src/engine.rs), over a WebSocket. */
  class Engine extends EventTarget {
    onmessage = null;
    onerror = null;
    #socket = new WebSocket(new URL("podscope/v1/page", document.baseURI).href.replace(/^http/, "ws"));
    #waiting = []; // messages that are sent once the socket is open
    #isTerminated = false;
    #isNew = true;

    constructor() {
      super();
      const socket = this.#socket;
      socket.binaryType = "arraybuffer";
      socket.addEventListener("open", () => this.#waiting.splice(0).forEach((message) => socket.send(message)));
      socket.addEventListener("message", ({ data }) => {
        if (typeof data === "string") return this.#roleChanged(data);
        const event = new MessageEvent("message", { data: new Uint8Array(data) });
        this.dispatchEvent(event);
        this.onmessage?.(event);
      });
      socket.addEventListener("close", ({ reason }) => {
        if (this.#isTerminated) return;
        root.dataset.served = "ended";
        showNotice(reason ? `Disconnected: ${reason}.` : "podscope serve has ended or cannot be reached. What you see is its last state.", "Reconnect", reconnect);
      });
    }

    #roleChanged(role) {
      root.dataset.served = role;
      // A page that led before a reload takes the lead again.
      try {
        if (this.#isNew && role === "watches" && sessionStorage.getItem("podscope.leads")) this.#socket.send("lead");
        sessionStorage.setItem("podscope.leads", role === "leads" ? "1" : "");
      } catch { /* storage is forbidden: another page leads then */ }
      this.#isNew = false;
      if (role === "leads") showNotice("");
      else showNotice("This page watches; another page leads.", "Take over", () => this.#socket.send("lead"));
    }

    postMessage(message) {
      if (message === null) return; // the page's wasm runs, so a worker would load its own; there is none here
      if (this.#socket.readyState === WebSocket.CONNECTING) this.#waiting.push(message);
      else if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message);
    }

    terminate() {
      this.#isTerminated = true;
      this.#socket.close();
    }
  }

  window.podscopeEngine = () => new Engine();
})();
