// In Node, `init()` reads the engine's wasm from the package; everything else is re-exported from podscope.js.
import { readFile } from "node:fs/promises";
import start from "./podscope.js";

export * from "./podscope.js";

export default function init(options) {
  const fromPackage = () => ({ module_or_path: readFile(new URL("podscope_bg.wasm", import.meta.url)) });
  return start(options ?? fromPackage());
}
