// <podscope-lesson site="https://…/" lesson="first-pod" panels="story,cluster">: shows a lesson in your page.
// Each message of the lesson is dispatched as an event `podscope`; `ask(request)` sends a request to the lesson
// (docs/embedding.md).
class PodscopeLesson extends HTMLElement {
  #frame = document.createElement("iframe");
  #onMessage = ({ source, data }) => {
    if (source !== this.#frame.contentWindow || data?.podscope !== 1) return;
    this.dispatchEvent(new CustomEvent("podscope", { detail: data, bubbles: true }));
  };

  connectedCallback() {
    const site = new URL(this.getAttribute("site") ?? ".", document.baseURI);
    site.searchParams.set("post", location.origin);
    site.hash = `lesson=${this.getAttribute("lesson") ?? ""}&embed=${this.getAttribute("panels") ?? "story,cluster"}`;
    Object.assign(this.#frame, { src: site.href, title: this.getAttribute("title") ?? "Podscope", style: "border:0;width:100%;height:100%" });
    addEventListener("message", this.#onMessage);
    if (getComputedStyle(this).display === "inline") Object.assign(this.style, { display: "block", height: "40rem" });
    this.append(this.#frame);
  }

  disconnectedCallback() {
    removeEventListener("message", this.#onMessage);
  }

  ask(request) {
    this.#frame.contentWindow?.postMessage({ podscope: 1, ...request }, new URL(this.#frame.src).origin);
  }
}

customElements.define("podscope-lesson", PodscopeLesson);
