const { relative } = require('node:path')
const { Base, Spec } = require('mocha').reporters

/** As suites name it. */
const nameOf = file => relative(__dirname, file).replace('../packages', 'packages')

/**
 * The spec report, with a line for each file as it ends, closed by the files with failures and one plain line that any
 * runner of runners can read.
 */
module.exports = class ClosingLine extends Spec {
  constructor(runner, options) {
    super(runner, options)
    /** Tests of the file that runs, since when, in milliseconds. */
    let file = null
    let startedAt = performance.now()
    let ended = 0
    this.tell = next => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      if (file !== null) Base.consoleLog(`${nameOf(file)}: ${ended} tests in ${seconds} s`)
      file = next
      startedAt = performance.now()
      ended = 0
    }
    runner.on('suite', suite => {
      if (suite.parent?.root && suite.file !== file) this.tell(suite.file ?? null)
    })
    runner.on('test end', () => {
      ended += 1
    })
  }

  epilogue() {
    this.tell(null)
    super.epilogue()
    const { passes, failures, pending } = this.stats
    const files = new Set(this.failures.map(({ file, parent }) => file ?? parent?.file ?? ''))
    for (const file of files) Base.consoleLog(`failed in ${file && nameOf(file)}`)
    Base.consoleLog(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`)
  }
}
