// What every story needs: the built site on a sub-path, a browser, pages that complain about
// anything unexpected, screenshots and axe.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { mkdirSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const DIST = process.env.PODSCOPE_DIST ?? join(ROOT, "dist");
const SCREENS = join(ROOT, "target/screens");
const BASE = "/any/sub-path/"; // the site must not care where it lies (P-01)

const modules = process.env.PODSCOPE_NODE_MODULES;
if (!modules) throw new Error("run me by `cargo xtask test e2e`: it sets up the browser's tools");
const require = createRequire(join(modules, "x.js"));
const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  narrow: { width: 360, height: 640 },
  wall: { width: 3840, height: 2160 },
};
export const THEMES = ["light", "dark"];

const TYPES = {
  ".css": "text/css", ".html": "text/html; charset=utf-8", ".js": "text/javascript",
  ".json": "application/json", ".md": "text/plain", ".png": "image/png", ".svg": "image/svg+xml",
  ".wasm": "application/wasm", ".webmanifest": "application/manifest+json", ".yaml": "text/plain",
};

/** A line that all answers share: `bits` a second, each answer begins `delay` ms after its request. */
class Line {
  #waiting = []; // [response, bytes left]
  #free = 0; // when the line has sent what it took

  constructor({ bits, delay }) {
    Object.assign(this, { bits, delay });
  }

  send(response, body) {
    setTimeout(() => {
      this.#waiting.push([response, body]);
      if (this.#waiting.length === 1) this.#turn();
    }, this.delay);
  }

  // A packet of each answer in turn, as many as the time since the last turn had room for.
  #turn() {
    const now = performance.now();
    this.#free = Math.max(this.#free, now - 20);
    while (this.#waiting.length > 0 && this.#free <= now) {
      const [response, body] = this.#waiting.shift();
      const packet = body.subarray(0, 1400);
      response.write(packet);
      this.#free += packet.length * 8000 / this.bits;
      if (packet.length < body.length) this.#waiting.push([response, body.subarray(packet.length)]);
      else response.end();
    }
    if (this.#waiting.length > 0) setTimeout(() => this.#turn(), 1);
  }
}

/** What the site's `_headers` asks hosts to say of every file. */
const asked = () => Object.fromEntries(readFileSync(join(DIST, "_headers"), "utf8").split("\n")
  .filter((line) => line.startsWith("  ")).map((line) => line.trim().split(/: (.*)/, 2)));

/** Serves `dist/` as a static host does: below `base`, with a directory's index or without, with
 *  other media types than usual, with the headers that the site asks for, a second time at `also`;
 *  over a `line`, compressed as a CDN sends it. */
export async function serve({ base = BASE, also = base, index = true, types = {}, headers = false, line } = {}) {
  if (!existsSync(join(DIST, "index.html"))) throw new Error("no dist/: run `cargo xtask build`");
  const replaced = new Map(); // path → text that a story serves instead; null: it is gone
  const moved = new Map(); // path → where a redirect sends who asks for it
  const packed = new Map(); // file → what crosses the line
  const shared = line && new Line(line);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const at = [also, base].find((base) => path.startsWith(base));
    let file = at ? join(DIST, normalize(`/${path.slice(at.length)}`)) : "";
    const isDirectory = (file) => existsSync(file) && statSync(file).isDirectory();
    if (index && file && isDirectory(file)) file = join(file, "index.html");
    if (!file || !existsSync(file) || isDirectory(file)) {
      response.writeHead(404).end("not here");
      return;
    }
    if (moved.has(path)) {
      response.writeHead(302, { Location: moved.get(path) }).end();
      return;
    }
    const name = relative(DIST, file);
    if (replaced.get(name) === null) {
      response.writeHead(404).end("gone");
      return;
    }
    const body = replaced.get(name) ?? readFileSync(file);
    response.writeHead(200, {
      ...headers && asked(),
      "Content-Type": types[extname(file)] ?? TYPES[extname(file)] ?? "application/octet-stream",
      "Cache-Control": "no-cache",
      ...line && { "Content-Encoding": "br" },
    });
    if (!line) return response.end(body);
    packed.set(file, packed.get(file) ?? brotliCompressSync(body));
    shared.send(response, packed.get(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    replaced,
    moved,
    url: `http://127.0.0.1:${server.address().port}${encodeURI(base)}`,
    close: () => { server.closeAllConnections(); server.close(); },
  };
}

export async function launch() {
  return chromium.launch({
    executablePath: process.env.PODSCOPE_CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}

/** A story's hands: it opens pages, looks and asserts. */
export class Teller {
  #contexts = [];
  #complaints = [];
  #forgiven = [];

  constructor(browser, site) {
    this.browser = browser;
    this.site = site;
    this.url = site.url;
  }

  /** Serves a file changed, until the story ends. */
  change(path, edit) {
    this.site.replaced.set(path, edit(readFileSync(join(DIST, path), "utf8")));
  }

  /** Opens the site. What the page says on the console as an error, throws, asks of another
   *  origin, or violates in its policy is a complaint that fails the story. */
  async open(path = "", { size = "desktop", theme = "light", before, offlineCopy = false, wait = true, motion = "reduce", touch = size === "phone" || size === "narrow" } = {}) {
    const context = await this.browser.newContext({
      viewport: SIZES[size],
      colorScheme: theme,
      reducedMotion: motion,
      hasTouch: touch,
      serviceWorkers: offlineCopy ? "allow" : "block",
    });
    this.#contexts.push(context);
    return this.tab(context, path, { before, wait });
  }

  /** A tab in a browser that is open already. */
  async tab(context, path = "", { before, wait = true } = {}) {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on("pageerror", (error) => this.#complaints.push(`page threw: ${error}`));
    page.on("console", (message) => {
      const expected = message.text().includes("Failed to load resource") || message.text().includes("Service Worker registration blocked");
      if (message.type() === "error" && !expected) this.#complaints.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const there = new URL(request.url());
      if (there.protocol.startsWith("http") && there.origin !== new URL(this.url).origin) {
        this.#complaints.push(`asked another origin: ${request.url()}`);
      }
    });
    if (before) await before(page);
    await page.goto(this.url + path, { waitUntil: wait ? "load" : "commit" });
    if (wait) await this.ready(page);
    return page;
  }

  /** Serves another version of the site from now on; `edit` changes its list of files. */
  async publish(version, { index = true, edit = (text) => text } = {}) {
    const html = readFileSync(join(DIST, "index.html"), "utf8").replace(/data-version="\w+"/, `data-version="${version}"`);
    const digest = createHash("sha256").update(html).digest("base64");
    if (index) this.site.replaced.set("index.html", html);
    this.change("sw.js", (text) => edit(text
      .replace(/const VERSION = "\w+"/, `const VERSION = "${version}"`)
      .replace(/"\.\/": "sha256-[^"]+"/, `"./": "sha256-${digest}"`)));
  }

  /** Has the browser look for a new version: how that ended, once it did. */
  async update(page) {
    return page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      const found = new Promise((resolve) => {
        registration.addEventListener("updatefound", () => {
          const { installing } = registration;
          installing.addEventListener("statechange", () => resolve(installing.state));
        }, { once: true });
      });
      await registration.update();
      return found;
    });
  }

  /** The offline copy is complete and serves this page. */
  async keptOffline(page) {
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) {
        await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done));
      }
    });
  }

  /** The page has taken the shell's place. */
  async ready(page) {
    await page.waitForFunction(() => !document.getElementById("boot-status"));
  }

  /** Complaints that the story provokes on purpose, whenever they come: a page may try twice. */
  forgive(pattern) {
    this.#forgiven.push(pattern);
  }

  async screenshot(page, name) {
    mkdirSync(SCREENS, { recursive: true });
    await page.screenshot({ path: join(SCREENS, `${name}.png`), animations: "disabled" });
  }

  /** One look in both themes: a picture of each, and no accessibility violation. */
  async look(page, name) {
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await this.screenshot(page, `${name}-${theme}`);
      await this.axe(page);
    }
    await page.emulateMedia({ colorScheme: "light" });
  }

  /** Opens texts as files, as the dialog does. */
  async openFiles(page, files) {
    await page.getByRole("button", { name: "Files" }).click();
    await page.locator(".files input[type=file]").first().setInputFiles(
      Object.entries(files).map(([name, text]) => ({ name, mimeType: "application/yaml", buffer: Buffer.from(text) })));
    // What opens takes the dialog's place.
    await page.locator(".files").waitFor({ state: "detached" });
    // A big cluster is a picture, whose zones are a list beside it.
    await page.locator("[data-zone] [data-node], .overview [data-zone]").first().waitFor();
  }

  /** Touches as a finger makes them. */
  async finger(page) {
    const wire = await page.context().newCDPSession(page);
    const send = (type, points) => wire.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
    return {
      down: (x, y) => send("touchStart", [[x, y]]),
      move: (x, y) => send("touchMove", [[x, y]]),
      up: () => send("touchEnd", []),
    };
  }

  /** Types a command on the console and closes it again. */
  async command(page, line) {
    const field = page.getByLabel("Command", { exact: true });
    await field.fill(line);
    await field.press("Enter");
    await field.press("Escape");
  }

  /** Types a command that asks back, and says yes. */
  async insist(page, line) {
    const field = page.getByLabel("Command", { exact: true });
    await field.fill(line);
    await field.press("Enter");
    await page.getByRole("button", { name: "I understand, do it" }).click();
    await field.press("Escape");
  }

  /** Replaces the editor's text. */
  async write(editor, text) {
    const before = this.#complaints.length;
    await editor.locator(".cm-content").fill(text);
    // The browser itself gives what replaces a selection the selection's style, which the policy refuses it.
    const meanwhile = this.#complaints.splice(before);
    this.#complaints.push(...meanwhile.filter((text) => !text.startsWith("console: Applying inline style")));
  }

  /** All that was done is kept: a reload goes on here. */
  async kept(page) {
    await page.locator('.page[data-kept="true"]').waitFor();
  }

  /** Stops time, once a session is there. */
  async pause(page) {
    await page.locator(".page[data-playing]").waitFor();
    await page.getByText("Starting the cluster…").waitFor({ state: "detached" });
    const stands = page.locator('.page[data-playing="false"]');
    // A session at its end, or a new one, stops or starts by itself while a click is on its way.
    for (let attempt = 0; attempt < 8; attempt += 1) {
      if (await stands.count() === 0) {
        await page.getByRole("button", { name: "Pause" }).click({ timeout: 2_000 }).catch(() => {});
        await stands.waitFor({ timeout: 2_000 }).catch(() => {});
      }
      await page.waitForTimeout(150);
      if (await stands.count() > 0) return;
    }
    throw new Error("time does not stand still");
  }

  /** Goes to an instant by the clock; time stands there. `patience`: for a big cluster's way there. */
  async seek(page, instant, patience = 4_000) {
    await page.locator("[data-zone]").first().waitFor();
    const there = page.locator(`.page[data-playing="false"][data-now="${instant}"]`);
    // A session that has just opened may begin to play after it was stopped.
    for (let attempt = 0; attempt < 8; attempt += 1) {
      await this.pause(page);
      const clock = page.getByLabel("Clock: type an instant to go there");
      await clock.fill(instant);
      await clock.press("Enter");
      try {
        await there.waitFor({ timeout: patience });
        await page.waitForTimeout(150);
        if (await there.count() > 0) return;
      } catch { /* it plays: once more */ }
    }
    throw new Error(`the clock does not stand at ${instant}`);
  }

  /** What the page says of itself: the clock. */
  async now(page) {
    return page.locator(".page").getAttribute("data-now");
  }

  /** Keeps bytes beside the screenshots. */
  keep(name, bytes) {
    mkdirSync(SCREENS, { recursive: true });
    writeFileSync(join(SCREENS, name), bytes);
  }

  /** No part of the page sticks out to the side. */
  async fits(page, what) {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    this.check(wide <= 0, `${what}: ${wide} px stick out`);
  }

  /** The text of what a click offers as a download, with its name. */
  async download(page, click) {
    const [download] = await Promise.all([page.waitForEvent("download"), click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }

  /** No accessibility violation at all, WCAG 2.2 AA and best practice. (`@axe-core/playwright` brings the same rules anew
   *  for each look, which takes four times as long.) */
  async axe(page) {
    const before = this.#complaints.length;
    for (const frame of page.frames()) {
      if (!await frame.evaluate(() => "axe" in window)) await frame.evaluate(AXE);
    }
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    // It copies elements with their style attributes, which the page's policy refuses it.
    const meanwhile = this.#complaints.splice(before);
    this.#complaints.push(...meanwhile.filter((text) => !text.startsWith("console: Applying inline style")));
    const lines = violations.flatMap((rule) =>
      rule.nodes.slice(0, 5).map((node) =>
        `${rule.id} (${rule.impact}): ${node.target.join(" ")}: ${node.failureSummary.replace(/\s+/g, " ")}`));
    this.equal(lines.join("\n"), "", "axe");
  }

  equal(got, want, what = "value") {
    if (got !== want) throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
  }

  check(truth, what) {
    if (!truth) throw new Error(what);
  }

  /** Tells a story to its end; what went wrong is thrown, with what the pages complained of and show. */
  async tell(story) {
    let failure;
    try {
      await story(this);
    } catch (error) {
      failure = error;
      this.#forgiven = [];
      this.#complaints.push(...await this.#seen());
    }
    await this.end().catch((complaints) => {
      if (failure) failure.message += `\n${complaints.message}`;
      failure ??= complaints;
    });
    if (failure) throw failure;
  }

  /** What stands on each page that is open. */
  async #seen() {
    const pages = this.#contexts.flatMap((context) => context.pages());
    return Promise.all(pages.map((page) => page.evaluate(() => {
      const { now, playing, kept } = document.querySelector(".page")?.dataset ?? {};
      return `${location.href.slice(0, 120)} at ${now}, playing ${playing}, kept ${kept}: ${document.body.innerText.replace(/\s+/g, " ").slice(0, 600)}`;
    }).catch((error) => `a page without an answer: ${error.message}`)));
  }

  /** Closes what was opened; what pages complained of is thrown. */
  async end() {
    this.site.replaced.clear();
    this.site.moved.clear();
    for (const context of this.#contexts) await context.close();
    const complaints = this.#complaints.filter((text) => !this.#forgiven.some((pattern) => pattern.test(text)));
    if (complaints.length > 0) throw new Error(complaints.join("\n"));
  }
}

/** A story told on a host of its own. */
export const on = (host, story) => async (t) => {
  const site = await serve(host);
  try {
    await new Teller(t.browser, site).tell(story);
  } finally {
    site.close();
  }
};
