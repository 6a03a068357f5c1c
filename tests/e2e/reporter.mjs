import { basename } from "node:path";
import { stripVTControlCharacters } from "node:util";

// Prints the last lines of a run, which `cargo xtask test` parses: `failed: FILE › STORY: REASON` for each story that
// failed, `flaky: …` for each that passed only when it was run again, then `N passed, N failed, N flaky`.

/** Returns the first lines of the first error of a story. */
function failureReason(test) {
  const message = test.results.find(({ error }) => error)?.error.message ?? "no reason is known";
  return stripVTControlCharacters(message).trim().split("\n").slice(0, 4).join(" ");
}

export default class ClosingLine {
  onBegin(_, suite) {
    this.suite = suite;
  }

  onEnd() {
    const finished = this.suite.allTests().filter((test) => test.results.length > 0);
    const testsWithOutcome = (name) => finished.filter((test) => test.outcome() === name);
    const [failed, flaky] = [testsWithOutcome("unexpected"), testsWithOutcome("flaky")];
    for (const [word, tests] of [["failed", failed], ["flaky", flaky]]) {
      for (const test of tests) console.log(`${word}: ${basename(test.location.file)} › ${test.title}: ${failureReason(test)}`);
    }
    if (finished.length > 0) {
      console.log(`${finished.length - failed.length} passed, ${failed.length} failed, ${flaky.length} flaky`);
    }
  }
}
