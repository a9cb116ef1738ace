import assert from 'node:assert/strict'
import { PROJECT } from '../service/service.js'
import { type Judged, sumOf, tally, tallyTable } from './judge.js'
import { KINDS } from './question.js'
import { areGolden } from './rows.js'
import { type Asked, openWorld, type World } from './world.js'

/** Whether the service answers `include: ["hints"]`. */
const HAS_HINTS: boolean = true
const LEAST_FLAGGED = 30
/** For what runs more than a hundred statements, and for the start of three services. */
const MOST_MS = 120_000

describe('the questions of agents', () => {
  let world: World
  before(async function () {
    this.timeout(MOST_MS)
    world = await openWorld()
  })
  after(() => world?.close())

  /** The result of a statement, which has to run. */
  async function run({ over, id, entityId }: Asked, sql: string, more: object = {}) {
    const view = entityId === undefined ? {} : { entityId }
    const { status, body } = await world.services[over].call('projects/query', {
      projectId: PROJECT,
      sql,
      page: { limit: 500 },
      ...view,
      ...more,
    })
    assert.equal(status, 200, `${id}: ${JSON.stringify(body)}`)
    assert.equal(body.result?.nextCursor, undefined, id)
    return body.result as { items: Record<string, unknown>[]; hints?: { kind: string }[] }
  }

  it('are sixty, of which most have a hurried statement, and each kind of hint is deserved by several', () => {
    assert.equal(world.questions.length, 60)
    assert.equal(new Set(world.questions.map(({ id }) => id)).size, 60)
    const hurried = world.questions.filter(question => question.hurried !== undefined)
    assert.ok(hurried.length >= 36)
    assert.deepEqual(
      world.questions.filter(({ hurried, kind }) => (hurried === undefined) !== (kind === undefined)),
      [],
    )
    for (const wanted of KINDS) assert.ok(hurried.filter(({ kind }) => kind === wanted).length >= 3, wanted)
  })

  it('have golden rows, which the careful statement gives and the hurried one does not', async function () {
    this.timeout(MOST_MS)
    const wrong: string[] = []
    for (const question of world.questions) {
      const { id, careful, hurried, golden, isOrdered } = question
      assert.ok(golden.length > 0, id)
      const valuesOf = async (sql: string) => (await run(question, sql)).items.map(row => Object.values(row))
      const rows = await valuesOf(careful)
      if (!areGolden(rows, golden, isOrdered))
        wrong.push(`${id}: the careful one gives ${JSON.stringify(rows)}, not ${JSON.stringify(golden)}`)
      if (hurried !== undefined && areGolden(await valuesOf(hurried), golden, isOrdered))
        wrong.push(`${id}: the hurried one gives the golden rows ${JSON.stringify(golden)}`)
    }
    assert.deepEqual(wrong, [])
  })

  if (!HAS_HINTS) {
    it('cannot be judged by hints yet, which the service refuses', async () => {
      const { status } = await world.services.made.call('projects/query', {
        projectId: PROJECT,
        sql: 'SELECT 1 AS one',
        include: ['hints'],
      })
      assert.equal(status, 400)
    })
    return
  }

  it(`have hints for at least ${LEAST_FLAGGED} hurried statements, and for no careful one`, async function () {
    this.timeout(MOST_MS)
    const judged: (Judged & { id: string })[] = []
    for (const question of world.questions) {
      const kindsOf = async (sql: string) =>
        ((await run(question, sql, { include: ['hints'] })).hints ?? []).map(({ kind }) => kind)
      const { id, careful, hurried, kind } = question
      const more = hurried && kind ? { hurried: { deserves: kind, has: await kindsOf(hurried) } } : {}
      judged.push({ id, careful: await kindsOf(careful), ...more })
    }
    const tallies = tally(judged)
    console.log(tallyTable(tallies))
    for (const { id, hurried } of judged)
      if (hurried && !hurried.has.includes(hurried.deserves))
        console.log(`missed: ${id} (${hurried.deserves}), which has ${hurried.has.join(', ') || 'no hint'}`)
    assert.deepEqual(
      judged.filter(({ careful }) => careful.length > 0).map(({ id, careful }) => `${id}: ${careful.join(', ')}`),
      [],
    )
    assert.ok(sumOf(tallies).flagged >= LEAST_FLAGGED)
  })
})
