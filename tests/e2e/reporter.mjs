// Ends a run with the line that `cargo xtask test` counts: `N passed, N failed`.
export default class ClosingLine {
  onBegin(_, suite) {
    this.suite = suite;
  }

  onEnd() {
    const ended = this.suite.allTests().filter((test) => test.results.length > 0);
    const failed = ended.filter((test) => !test.ok()).length;
    if (ended.length > 0) console.log(`${ended.length - failed} passed, ${failed} failed`);
  }
}
