// Runs as an engine process does, and tries what it is told to.
import { writeFileSync } from 'node:fs'
import { processSettings, serveJobs } from '#lib/flow/child.js'
import { BOMBS } from './bombs.mjs'
import { TRIES } from './tries.mjs'

const to = processSettings()
for (const name of ['mine', 'renamed']) writeFileSync(name, '')

serveJobs({
  /** Null when it was possible, else the code of the error. */
  async run(name) {
    if (name === 'stay') for (;;); // it never hears that its host has gone
    try {
      await (TRIES[name] ?? BOMBS[name])(to)
      return null
    } catch (cause) {
      return cause.code ?? String(cause)
    }
  },
  describe: String,
})
