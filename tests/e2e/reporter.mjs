// Prints the last line of a run, which `cargo xtask test` parses: `N passed, N failed`.
export default class ClosingLine {
  onBegin(_, suite) {
    this.suite = suite;
  }

  onEnd() {
    const finished = this.suite.allTests().filter((test) => test.results.length > 0);
    const failed = finished.filter((test) => !test.ok()).length;
    if (finished.length > 0) console.log(`${finished.length - failed} passed, ${failed} failed`);
  }
}
