// Runs use.mjs in headless Chromium: a minimal page imports the package from node_modules with the import map of the
// README.
// Shows: P-06, Q-05
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { launch } from "../e2e/tools.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };

/** Runs `exercisePackage()` of use.mjs on a page whose Content-Security-Policy allows what the package's README requires.
 *  Returns its results. */
export async function runInBrowser(project) {
  const readme = readFileSync(join(project, "node_modules/@podscope/engine/README.md"), "utf8");
  const [map] = readme.match(/<script type="importmap">.*<\/script>/);
  const page = `<!doctype html><title>stranger</title>${map}`;
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://x").pathname);
    response.setHeader("Content-Security-Policy", "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'");
    try {
      const body = path === "/" ? page : readFileSync(join(project, path));
      response.writeHead(200, { "Content-Type": TYPES[path === "/" ? ".html" : extname(path)] ?? "text/plain" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    return JSON.parse(await page.evaluate(async () => JSON.stringify(await (await import("/use.mjs")).exercisePackage())));
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
