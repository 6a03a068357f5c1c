// Where there is a file system, `init()` reads the engine from beside this file; else it is that
// of podscope.js.
import { readFile } from "node:fs/promises";
import start from "./podscope.js";

export * from "./podscope.js";

export default function init(options) {
  const own = () => ({ module_or_path: readFile(new URL("podscope_bg.wasm", import.meta.url)) });
  return start(options ?? own());
}
