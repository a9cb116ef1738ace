const { relative } = require('node:path')
const { Base, Spec } = require('mocha').reporters

/** The spec report, closed by the files with failures and one plain line that any runner of runners can read. */
module.exports = class ClosingLine extends Spec {
  epilogue() {
    super.epilogue()
    const { passes, failures, pending } = this.stats
    const files = new Set(this.failures.map(({ file, parent }) => file ?? parent?.file ?? ''))
    for (const file of files) Base.consoleLog(`failed in ${file && relative(__dirname, file)}`)
    Base.consoleLog(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`)
  }
}
