import { closeSharedService } from './service/service.js'

/** Mocha's root hooks: what test files share ends with the run. */
export const mochaHooks = {
  async afterAll() {
    await closeSharedService()
  },
}
