// A page that complains fails its story: a thrown error, an error on the console, a violated policy, a request to
// another origin.

/** Whether the browser reports a failed load, which a story checks by what the page shows. */
const isFailedLoad = (text) => text.includes("Failed to load resource") || text.includes("Service Worker registration blocked");

/** Whether the test's own tools caused it. The policy refuses inline styles; axe copies elements with theirs, and a text
 *  that Playwright inserts takes over the style of the selection it replaces. Neither has a place in a file of the site. */
const isOfTheTools = (message, site) =>
  message.text().startsWith("Applying inline style") && !message.location().url.startsWith(site);

export class Complaints {
  #heard = [];
  #forgiven = [];

  /** Listens to a page of the site at `url`. */
  listen(page, url) {
    const { origin } = new URL(url);
    page.on("pageerror", (error) => this.#heard.push(`page threw: ${error}`));
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() !== "error" || isFailedLoad(text) || isOfTheTools(message, origin)) return;
      this.#heard.push(`console: ${text} (${JSON.stringify(message.location())})`);
    });
    page.on("request", (request) => {
      const there = new URL(request.url());
      if (there.protocol.startsWith("http") && there.origin !== origin) this.#heard.push(`asked another origin: ${request.url()}`);
    });
  }

  /** Complaints that the story provokes on purpose, whenever they come: a page may try twice. */
  forgive(pattern) {
    this.#forgiven.push(pattern);
  }

  /** Complaints that were not provoked. */
  unforgiven() {
    return this.#heard.filter((text) => !this.#forgiven.some((pattern) => pattern.test(text)));
  }
}
