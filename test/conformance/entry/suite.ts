import assert from 'node:assert/strict'
import { AT_EVERY_ENTRY } from '../../service/entries.js'
import type { Mount } from '../../service/mount.js'
import { VENDOR, type Vendor } from '../../service/vendors.js'
import { casesOf, ENVELOPES } from '../cases/all.js'
import type { Case } from './case.js'
import { ENTRIES, WEBSOCKET } from './entry.js'
import { judgeAnswer, RPC_ENTRIES, requestFrame } from './frame.js'
import { comparable, judge } from './judge.js'
import { postRest } from './rest.js'
import { Runner } from './run.js'
import { World } from './world.js'

/** Where the suite runs. */
export interface Where {
  /** Whose data it reads. Default: that of {@link VENDOR}. */
  vendor?: Vendor
  /** Without a mount, each service has its own server. */
  mount?: Mount
  /** Subjects of the cases; all of them, and the envelopes of JSON-RPC, by default. */
  subjects?: readonly string[]
  /**
   * Names of the entry points at which each case runs. Default: on a mount, or with `FOLDGATE_TEST_ENTRIES=all`, all of
   * them; else REST and one of the others in turn.
   */
  entries?: readonly string[]
  /** Names of cases that the host's body parser rejects or changes over HTTP, with the status that it causes. */
  lost?: Readonly<Record<string, number>>
}

/** Registers every case at every entry point as a test. */
export function describeEntries({ vendor = VENDOR, mount, entries: given, lost = {}, subjects }: Where = {}): void {
  const entries = given ?? Object.keys(ENTRIES)
  const isWhole = given !== undefined || mount !== undefined || AT_EVERY_ENTRY
  const chosen = Object.entries(casesOf(vendor)).filter(([subject]) => !subjects || subjects.includes(subject))
  const all = chosen.flatMap(([, cases]) => cases)
  const others = entries.filter(entry => entry !== 'REST')
  const entriesOf = (one: Case) => (isWhole ? entries : ['REST', others[all.indexOf(one) % others.length] as string])
  let world: World
  let runner: Runner | undefined
  before(async () => {
    world = await World.open(vendor, [...new Set(all.map(({ on = 'plain' }) => on))], mount)
    runner = new Runner(world, all, entriesOf)
  })
  after(async () => {
    runner?.close()
    await world?.close()
  })

  const at = (entry: string, one: Case) => (runner as Runner).at(entry, one)
  const statusOf = async ({ method, params, key }: Case) =>
    (await postRest(world.sites.plain, method, params, key)).status

  for (const entry of entries)
    describe(`answers alike: ${entry}`, () => {
      for (const [subject, cases] of chosen)
        describe(subject, () => {
          for (const one of cases.filter(each => entriesOf(each).includes(entry)))
            it(one.name, async () => {
              const status = entry === WEBSOCKET ? undefined : lost[one.name]
              if (status !== undefined) return assert.equal(await statusOf(one), status)
              const { outcome, download } = await at(entry, one)
              judge(one, outcome)
              if ('download' in one.expect) assert.equal(download, one.expect.download)
              if (one.name in lost) return
              const rest = await at('REST', one)
              assert.deepEqual(comparable(outcome), comparable(rest.outcome))
            })
        })
    })

  if (subjects) return
  for (const [entry, deliver] of Object.entries(RPC_ENTRIES).filter(([name]) => !mount || entries.includes(name)))
    describe(`reads envelopes: ${entry}`, () => {
      for (const one of ENVELOPES.filter(({ only }) => !only || only.includes(entry))) {
        it(one.name, async () => {
          const status = entry === WEBSOCKET ? undefined : lost[one.name]
          if (status === undefined) judgeAnswer(one, await deliver(world.sites.plain, one))
          else assert.equal((await requestFrame(world.sites.plain, one)).status, status)
        })
      }
    })
}
