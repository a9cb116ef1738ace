const { Base, Spec } = require('mocha').reporters

/** The spec report, closed by one plain line that any runner of runners can read. */
module.exports = class ClosingLine extends Spec {
  epilogue() {
    super.epilogue()
    const { passes, failures, pending } = this.stats
    Base.consoleLog(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`)
  }
}
