// The command-line program, for stories that need it.
import { execFileSync } from "node:child_process";
import { ROOT } from "./tools.mjs";

/** Builds `podscope`, if it is not built yet, and returns its path. */
export function podscope() {
  const build = ["build", "-q", "--workspace", "--exclude", "podscope-js", "--bin", "podscope", "--message-format", "json"];
  const built = execFileSync("cargo", build, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
  return built.trim().split("\n").map((line) => JSON.parse(line)).find((line) => line.executable).executable;
}
