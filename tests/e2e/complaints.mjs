// Collects complaints of pages: thrown errors, errors on the console, violations of the content security policy, and
// requests to other origins. A complaint fails the story.

/** Whether the browser reports a failed load: stories check failed loads by what the page shows. */
const isFailedLoad = (text) => text.includes("Failed to load resource") || text.includes("Service Worker registration blocked");

/** Whether the test tools caused the message. They set inline styles, which the content security policy refuses: axe
 *  copies elements with their styles, in a script of its own. When Playwright inserts a text, the browser copies the
 *  style of the replaced selection and reports that at the first line of the document; errors of the site's scripts are
 *  reported with their file and line. */
const isFromTestTools = (message, origin) => {
  if (!message.text().startsWith("Applying inline style")) return false;
  const { url, lineNumber } = message.location();
  return !url.startsWith(origin) || lineNumber === 0 && /(\/|\.html)$/.test(new URL(url).pathname);
};

export class Complaints {
  #reported = [];
  #allowed = [];

  /** Collects the complaints of a page of the site at `url` from now on. */
  listen(page, url) {
    const { origin } = new URL(url);
    page.on("pageerror", (error) => this.#reported.push(`page threw: ${error}`));
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() !== "error" || isFailedLoad(text) || isFromTestTools(message, origin)) return;
      this.#reported.push(`console: ${text} (${JSON.stringify(message.location())})`);
    });
    page.on("request", (request) => {
      const target = new URL(request.url());
      if (target.protocol.startsWith("http") && target.origin !== origin) this.#reported.push(`requested another origin: ${request.url()}`);
    });
  }

  /** Allows complaints that the story provokes on purpose, any number of times: a page may retry. */
  allow(pattern) {
    this.#allowed.push(pattern);
  }

  /** Returns the complaints that the story did not allow. */
  unexpected() {
    return this.#reported.filter((text) => !this.#allowed.some((pattern) => pattern.test(text)));
  }
}
