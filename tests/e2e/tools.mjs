// The browser and the libraries that drive it: `cargo xtask` installs them and names them in the environment.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
/** The built site. */
export const DIST = process.env.PODSCOPE_DIST ?? join(ROOT, "dist");

const modules = process.env.PODSCOPE_NODE_MODULES;
if (!modules) throw new Error("PODSCOPE_NODE_MODULES is not set: use `cargo xtask test e2e` or `cargo xtask e2e`");
const require = createRequire(join(modules, "x.js"));

export const playwright = require("@playwright/test");
/** The source of axe-core. The sourceURL names it in the browser's messages. */
export const AXE = `${readFileSync(require.resolve("axe-core/axe.min.js"), "utf8")}\n//# sourceURL=podscope-test:axe.js`;

/** The source of scorm-again: the API of a learning platform that speaks SCORM 1.2. */
export const SCORM_AGAIN = readFileSync(join(modules, "scorm-again/dist/scorm12.min.js"), "utf8");

/** Time in which the page must reach an expected state even on a busy machine, in milliseconds. */
export const TIMEOUT = 60_000;

const LAUNCH = {
  executablePath: process.env.PODSCOPE_CHROMIUM,
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
};

/** Options of the browser that stories use: Chromium's headless shell, if it is installed. Each story loads the page anew,
 *  and V8 would spend a fifth of the CPU time of a short story on optimizing wasm functions; with eight times its usual
 *  budget it optimizes only those that run often. */
export const STORY_LAUNCH = {
  executablePath: process.env.PODSCOPE_STORY_BROWSER,
  args: [...LAUNCH.args, "--js-flags=--wasm-tiering-budget=100000000"],
};

/** Starts a browser for a measurement, outside of the test runner. */
export const launch = () => playwright.chromium.launch(LAUNCH);
