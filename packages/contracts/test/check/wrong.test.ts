import assert from 'node:assert/strict'
import {
  type Check,
  catalogueContract,
  exportPortContract,
  keyPortContract,
  projectPortContract,
  quotaPortContract,
  snapshotPortContract,
  sourceContract,
  usagePortContract,
} from 'foldgate-contracts'
import type { ContractOptions } from '#contracts/contract.js'
import { shop } from '../../../../test/service/shop.js'
import { engineContract } from '../engine/engine.js'
import { duckdbSubject } from './engines.js'
import { hostSource } from './sources.js'
import { countedQuota, folderExports, folderSnapshots, listedUsage, memoryKeys, memoryProjects } from './subjects.js'
import { wrongCatalogues } from './wrong/catalogues.js'
import { wrongQuotas, wrongUsages } from './wrong/counts.js'
import { wrongReadings } from './wrong/engines.js'
import { wrongAtWork } from './wrong/engines-at-work.js'
import { wrongBinding } from './wrong/engines-binding.js'
import { wrongExports } from './wrong/exports.js'
import { wrongKeys } from './wrong/keys.js'
import { wrongProjects } from './wrong/projects.js'
import { wrongSnapshots } from './wrong/snapshots.js'
import { wrongSources } from './wrong/sources.js'
import type { Wrong } from './wrong/wrong.js'

/** Wait for a call that hangs; every port that answers is faster. */
const PATIENCE_MS = 100

function describeWrong<Checked, Given extends unknown[]>(
  name: string,
  contract: (make: (...given: Given) => Promise<Checked>, options?: ContractOptions) => Check[],
  make: (...given: Given) => Checked | Promise<Checked>,
  wrongs: readonly Wrong<Checked>[],
): void {
  describe(`the contract of ${name}`, () => {
    for (const { check, what, says, spoil } of wrongs)
      it(`rejects a port that ${what}: ${check}`, async () => {
        const [spoilt] = contract(async (...given) => spoil(await make(...given)), {
          // Checks of calls that hang need not wait long; the others get time to answer.
          patienceMs: what.startsWith('falls silent') ? PATIENCE_MS : 10_000,
        }).filter(({ name }) => name === check)
        assert.ok(spoilt, 'no check has this name')
        await assert.rejects(spoilt.run(), { name: 'AssertionError', message: says })
      })

    it('has a faulty port for every check', () => {
      const checks = contract(async (...given) => make(...given)).map(({ name }) => name)
      assert.deepEqual([...new Set(wrongs.map(({ check }) => check))].sort(), checks.sort())
    })
  })
}

describeWrong('keys', keyPortContract, memoryKeys, wrongKeys)
describeWrong('projects', projectPortContract, memoryProjects, wrongProjects)
describeWrong('snapshots', snapshotPortContract, folderSnapshots, wrongSnapshots)
describeWrong('exports', exportPortContract, folderExports, wrongExports)
describeWrong('a quota', quotaPortContract, countedQuota, wrongQuotas)
describeWrong('usage', usagePortContract, listedUsage, wrongUsages)
describeWrong('a source', sourceContract, async () => hostSource(), wrongSources)
describeWrong('a catalogue', catalogueContract, () => ({ catalogue: shop }), wrongCatalogues)
describeWrong('an engine', engineContract, duckdbSubject, [...wrongReadings, ...wrongBinding, ...wrongAtWork])
