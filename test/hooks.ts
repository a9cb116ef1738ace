import fc from 'fast-check'
import { closeSharedService } from './service/service.js'

// One seed unless told otherwise: what fails once must fail for whoever looks into it. `FOLDGATE_SEED=$RANDOM npm run check`
// tries others.
fc.configureGlobal({ seed: Number(process.env.FOLDGATE_SEED ?? 1) })

/** A run whose tests are over but whose process lives on is a failure that says what is left, not a wait without end. */
const ENDS_WITHIN_MS = 30_000

/** Mocha's root hooks: what test files share ends with the run. */
export const mochaHooks = {
  async afterAll() {
    await closeSharedService()
    const watch = setTimeout(() => {
      console.error(`The process of the tests does not end: it holds ${process.getActiveResourcesInfo().join(', ')}`)
      // Mocha writes the number of failures over any other status as the process exits.
      process.once('exit', () => {
        process.exitCode = 1
      })
      process.exit()
    }, ENDS_WITHIN_MS)
    watch.unref()
  },
}
