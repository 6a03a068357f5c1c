// The browser stories: `cargo xtask test e2e` runs all, `cargo xtask e2e WORD…` some.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { TIMEOUT, ROOT, STORY_LAUNCH } from "./tools.mjs";

export default {
  testDir: "stories",
  testMatch: "*.mjs",
  outputDir: join(ROOT, "target/e2e"),
  fullyParallel: true,
  forbidOnly: process.env.CI !== undefined,
  // Two browsers in parallel take a third less time on two cores; more would compete for the cores.
  workers: Number(process.env.PODSCOPE_LANES ?? Math.min(2, availableParallelism())),
  timeout: 600_000,
  expect: { timeout: TIMEOUT, toPass: { timeout: TIMEOUT } },
  reporter: [["list"], [join(ROOT, "tests/e2e/reporter.mjs")]],
  use: {
    actionTimeout: TIMEOUT,
    launchOptions: STORY_LAUNCH,
    // Recording a trace takes a fifth of a story's CPU time, so only the second run of a failed story is recorded.
    trace: { mode: "on-first-retry", screenshots: false, snapshots: true, sources: true },
  },
};
