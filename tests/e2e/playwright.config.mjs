// The browser stories: `cargo xtask test e2e` runs all, `cargo xtask e2e WORD…` some.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { LAUNCH, PATIENCE, ROOT } from "./tools.mjs";

export default {
  testDir: "stories",
  testMatch: "*.mjs",
  outputDir: join(ROOT, "target/e2e"),
  fullyParallel: true,
  forbidOnly: process.env.CI !== undefined,
  // Two browsers in parallel take a third less time on two cores; more would compete for the cores.
  workers: Number(process.env.PODSCOPE_LANES ?? Math.min(2, availableParallelism())),
  timeout: 600_000,
  expect: { timeout: PATIENCE, toPass: { timeout: PATIENCE } },
  reporter: [["list"], [join(ROOT, "tests/e2e/reporter.mjs")]],
  use: {
    actionTimeout: PATIENCE,
    launchOptions: LAUNCH,
    // A video of each page would take the CPU time that the page needs.
    trace: { mode: "retain-on-failure", screenshots: false, snapshots: true, sources: true },
  },
};
