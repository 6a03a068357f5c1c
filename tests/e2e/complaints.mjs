// A page that complains fails its story: a thrown error, an error on the console, a violated policy, a request to
// another origin.

/** Whether the browser reports a failed load, which a story checks by what the page shows. */
const isFailedLoad = (text) => text.includes("Failed to load resource") || text.includes("Service Worker registration blocked");

/** Whether the test's own tools caused it: an inline style, which the policy refuses, where no code of the site ran. axe
 *  copies elements with their styles, in a script of its own. A text that Playwright inserts takes over the style of the
 *  selection it replaces: that is the browser's doing, and is reported at the first line of the document, where a site's
 *  script is reported with its file and line. */
const isOfTheTools = (message, origin) => {
  if (!message.text().startsWith("Applying inline style")) return false;
  const { url, lineNumber } = message.location();
  return !url.startsWith(origin) || lineNumber === 0 && /(\/|\.html)$/.test(new URL(url).pathname);
};

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
