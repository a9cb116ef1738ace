import assert from 'node:assert/strict'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Guard, openGuard } from '#lib/duckdb/guard.js'
import { needsQuotes, quotedIfNeeded } from '#lib/guard/quoting.js'
import { openSandbox } from '#lib/sandbox/sandbox.js'
import { GUARD, WAIT_MS } from './guard-probe.js'

describe('hints with names that need quotes', () => {
  let folder: string
  let guard: Guard
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-guard-')))
    guard = openGuard({
      script: GUARD,
      relations: ['order', 'events', 'group_members'],
      described: [
        {
          name: 'events',
          columns: { at: 'DATE', group: 'VARCHAR', end: 'DATE', total: 'DOUBLE', Select: 'VARCHAR' },
          unique: [],
          units: {},
          additive: {},
          ordered: [],
        },
      ],
      folder,
      sandbox: await openSandbox(),
      waitMs: WAIT_MS,
    })
    await guard.ready()
  })
  after(async () => {
    await guard.close()
    await rm(folder, { recursive: true })
  })

  const asker = { organization: 'north', ownerId: 'ada', signal: new AbortController().signal }
  const hintOf = async (sql: string) => {
    try {
      await guard.check(sql, asker)
    } catch (cause) {
      return (cause as { data: { hint?: string } }).data.hint ?? ''
    }
    return assert.fail(`passed: ${sql}`)
  }

  it('suggest relations as SQL has them', async () => {
    assert.equal(await hintOf('SELECT 1 FROM ordr'), 'Did you mean "order"?')
    await guard.check('SELECT 1 FROM "order"', asker)
    assert.equal(await hintOf('SELECT 1 FROM main."order"'), 'Write "order" alone.')
    const common = (name: string) => `WITH "my ""own""" AS (SELECT 1) SELECT 1 FROM ${name}`
    assert.equal(await hintOf(common('"my ""owm"""')), 'Did you mean "my ""own"""?')
    await guard.check(common('"my ""own"""'), asker)
  })

  it('suggest functions that can be pasted', async () => {
    for (const [wrong, right] of [
      ['lefft', 'left'],
      ['mapp', 'map'],
    ])
      assert.equal(await hintOf(`SELECT ${wrong}('a', 1)`), `Did you mean "${right}"?`)
    await guard.check(`SELECT "left"('a', 1)`, asker)
  })

  it('say where a word of the grammar is a name of the catalogue', async () => {
    for (const [sql, name] of [
      ['SELECT * FROM order', 'order'],
      ['SELECT * FROM ORDER o WHERE total > 1', 'order'],
      ['SELECT * FROM events JOIN order USING (total)', 'order'],
      ['SELECT order.total FROM "order"', 'order'],
      ['SELECT at FROM events', 'at'],
      ['SELECT total, at FROM events', 'at'],
      ['SELECT at, total FROM events', 'at'],
      ['SELECT max(at) FROM events', 'at'],
      ['SELECT total FROM events WHERE at > 1', 'at'],
      ['SELECT total FROM events ORDER BY at', 'at'],
      ['SELECT total FROM events GROUP BY group', 'group'],
      ['SELECT group FROM events', 'group'],
      ['SELECT end FROM events', 'end'],
      ['SELECT select FROM events', 'select'],
    ] as const)
      assert.equal(await hintOf(sql), `As a name, write it in quotes: "${name}".`, sql)
  })

  it('leave words that are no names of the catalogue, or no names where they stand, to other hints', async () => {
    for (const sql of [
      'SELECT table FROM events',
      'SELECT total FROM events GROUP total',
      'SELECT total FROM events ORDER total',
      'SELECT total FROM',
      'SELECT CASE WHEN total > 1 THEN 2 FROM events',
      'SELECT total FROM events WHERE total > 1 2',
    ])
      assert.doesNotMatch(await hintOf(sql), /As a name, write/, sql)
  })

  it('quote what is reserved or no plain word, and nothing else', () => {
    const reserved = new Set(['order', 'at'])
    for (const [name, written] of [
      ['order', '"order"'],
      ['At', '"At"'],
      ['two words', '"two words"'],
      ['2nd', '"2nd"'],
      ['a"b', '"a""b"'],
      ['', '""'],
      ['total', 'total'],
      ['Total', 'Total'],
      ['größe', 'größe'],
      ['_n$1', '_n$1'],
    ] as const) {
      assert.equal(quotedIfNeeded(name, reserved), written)
      assert.equal(needsQuotes(name, reserved), written !== name)
    }
  })
})
