import assert from 'node:assert/strict'
import fc from 'fast-check'
import { openSandbox } from '#lib/sandbox/sandbox.js'
import { stopSharedCluster } from '../packages/trino/test/check/cluster.js'
import { closeSharedService } from './service/service.js'

// A fixed seed makes failures reproducible. `FOLDGATE_SEED=$RANDOM npm run check` tries other seeds.
fc.configureGlobal({ seed: Number(process.env.FOLDGATE_SEED ?? 1) })

/** If the process outlives its tests by this long, the run fails and names the open resources instead of hanging. */
const ENDS_WITHIN_MS = 30_000

/** Mocha's root hooks, which close the service and the Trino that test files share. */
export const mochaHooks = {
  /** A suite that is about a launcher says which. */
  async beforeAll() {
    const wanted = process.env.FOLDGATE_TEST_LAUNCHER
    if (wanted) assert.equal((await openSandbox()).launcher?.name, wanted)
  },
  async afterAll() {
    await closeSharedService()
    await stopSharedCluster()
    const watch = setTimeout(() => {
      console.error(`The test process does not exit. Open resources: ${process.getActiveResourcesInfo().join(', ')}`)
      // On exit, Mocha overwrites the exit code with the number of failures, so it is set in a later handler.
      process.once('exit', () => {
        process.exitCode = 1
      })
      process.exit()
    }, ENDS_WITHIN_MS)
    watch.unref()
  },
}
