// Serves the built site like a static host.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, relative } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { DIST } from "./tools.mjs";

const BASE = "/any/sub-path/"; // the site works below any path (P-01)

export const TYPES = {
  ".css": "text/css", ".html": "text/html; charset=utf-8", ".js": "text/javascript",
  ".json": "application/json", ".md": "text/plain", ".png": "image/png", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm", ".webmanifest": "application/manifest+json", ".yaml": "text/plain",
};

/** A network line with limited speed, which all answers share: `bits` per second; each answer starts `delay` ms after
 *  its request. */
class Line {
  #waiting = []; // [response, bytes left]
  #free = 0; // when the line can send again

  constructor({ bits, delay }) {
    Object.assign(this, { bits, delay });
  }

  send(response, body) {
    setTimeout(() => {
      this.#waiting.push([response, body]);
      if (this.#waiting.length === 1) this.#turn();
    }, this.delay);
  }

  // Sends the waiting answers packet by packet, in turns: as many packets as fit into the time since the last call.
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

/** The headers that the site's file `_headers` sets for every file. */
const requestedHeaders = () => Object.fromEntries(readFileSync(join(DIST, "_headers"), "utf8").split("\n")
  .filter((line) => line.startsWith("  ")).map((line) => line.trim().split(/: (.*)/, 2)));

/** Serves `dist/` as a static host does, below the path `base` and the paths in `also`. Options: `index` serves the
 *  index file of a directory, `types` overrides media types, `headers` sends the headers of `_headers`, `line` limits
 *  the speed and compresses as a CDN does. */
export async function serve({ base = BASE, also = base, index = true, types = {}, headers = false, line } = {}) {
  if (!existsSync(join(DIST, "index.html"))) throw new Error(`no site in ${DIST}: run \`cargo xtask build\``);
  const replaced = new Map(); // path → replacement text; null: the file is missing
  const moved = new Map(); // path → target of a redirect
  const compressed = new Map(); // file → compressed body
  const sharedLine = line && new Line(line);
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
      ...headers && requestedHeaders(),
      "Content-Type": types[extname(file)] ?? TYPES[extname(file)] ?? "application/octet-stream",
      "Cache-Control": "no-cache",
      ...line && { "Content-Encoding": "br" },
    });
    if (!line) return response.end(body);
    compressed.set(file, compressed.get(file) ?? brotliCompressSync(body));
    sharedLine.send(response, compressed.get(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const site = {
    replaced,
    moved,
    url: `http://127.0.0.1:${server.address().port}${encodeURI(base)}`,
    /** Replaces a file by its edited text. */
    change(path, edit) {
      replaced.set(path, edit(readFileSync(join(DIST, path), "utf8")));
    },
    /** From now on, serves the site as another version; `edit` changes the text of its service worker. */
    publish(version, { index = true, edit = (text) => text } = {}) {
      const html = readFileSync(join(DIST, "index.html"), "utf8").replace(/data-version="\w+"/, `data-version="${version}"`);
      const digest = createHash("sha256").update(html).digest("base64");
      if (index) replaced.set("index.html", html);
      site.change("sw.js", (text) => edit(text
        .replace(/const VERSION = "\w+"/, `const VERSION = "${version}"`)
        .replace(/"\.\/": "sha256-[^"]+"/, `"./": "sha256-${digest}"`)));
    },
    /** Undoes all changes: serves the files as built. */
    restore() {
      replaced.clear();
      moved.clear();
    },
    close: () => { server.closeAllConnections(); server.close(); },
  };
  return site;
}
