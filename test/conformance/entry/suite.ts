import assert from 'node:assert/strict'
import type { Mount } from '../../service/mount.js'
import { ALL, CASES, ENVELOPES } from '../cases/all.js'
import type { Case } from './case.js'
import { ENTRIES } from './entry.js'
import { judgeAnswer, RPC_ENTRIES, requestFrame } from './frame.js'
import { comparable, judge } from './judge.js'
import { Runner } from './run.js'
import { World } from './world.js'

/** Where the suite is run. */
export interface Where {
  /** Without it each service has a server for itself. */
  mount?: Mount
  /** Names of the entry points; all of them unless given. */
  entries?: readonly string[]
  /** Messages over HTTP that something before the API answers by itself, and with which status. */
  kept?: Readonly<Record<string, number>>
}

/** Registers every case at every entry point as a test. */
export function describeEntries({ mount, entries = Object.keys(ENTRIES), kept = {} }: Where = {}): void {
  let world: World
  let runner: Runner | undefined
  before(async () => {
    world = await World.open(mount)
    runner = new Runner(world, ALL, entries)
  })
  after(async () => {
    runner?.close()
    await world?.close()
  })

  const at = (entry: string, one: Case) => (runner as Runner).at(entry, one)

  for (const entry of entries)
    describe(`answers alike: ${entry}`, () => {
      for (const [subject, cases] of Object.entries(CASES))
        describe(subject, () => {
          for (const one of cases)
            it(one.name, async () => {
              const { outcome, download } = await at(entry, one)
              judge(one, outcome)
              if ('download' in one.expect) assert.equal(download, one.expect.download)
              const rest = await at('REST', one)
              assert.deepEqual(comparable(outcome), comparable(rest.outcome))
            })
        })
    })

  for (const [entry, deliver] of Object.entries(RPC_ENTRIES).filter(([name]) => !mount || entries.includes(name)))
    describe(`reads envelopes: ${entry}`, () => {
      for (const one of ENVELOPES.filter(({ only }) => !only || only.includes(entry))) {
        const status = entry === 'JSON-RPC over HTTP' ? kept[one.name] : undefined
        if (status === undefined) it(one.name, async () => judgeAnswer(one, await deliver(world.sites.plain, one)))
        else
          it(`${one.name}: kept from the API`, async () => {
            assert.equal((await requestFrame(world.sites.plain, one)).status, status)
          })
      }
    })
}
