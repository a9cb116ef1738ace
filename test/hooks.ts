import fc from 'fast-check'
import { closeSharedService } from './service/service.js'

// One seed unless told otherwise: what fails once must fail for whoever looks into it. `FOLDGATE_SEED=$RANDOM npm run check`
// tries others.
fc.configureGlobal({ seed: Number(process.env.FOLDGATE_SEED ?? 1) })

/** Mocha's root hooks: what test files share ends with the run. */
export const mochaHooks = {
  async afterAll() {
    await closeSharedService()
  },
}
