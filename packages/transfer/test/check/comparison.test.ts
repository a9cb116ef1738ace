import assert from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { compareTables } from '#transfer/comparison/compare-tables.js'
import type { TableDifference } from '#transfer/comparison/difference.js'
import { childrenOf } from '../../../../bench/bombs/watch.js'
import { endAtWork } from '../../../../test/engine/at-work.js'
import { scratchFolder } from '../../../../test/server/command.js'

const NONE = { added: [], removed: [], retyped: [], changed: [] }
const folder = scratchFolder()

describe('the comparison of two files of a table', () => {
  let connection: DuckDBConnection
  let scratch: string
  let count = 0
  let signal: AbortSignal
  before(async () => {
    signal = AbortSignal.timeout(120_000)
    connection = await (await DuckDBInstance.create(':memory:')).connect()
    scratch = join(folder.path, 'scratch')
    await mkdir(scratch)
  })

  /** Writes two files, in folders whose names mean something to DuckDB and to SQL. */
  async function write(from: string, to: string) {
    count += 1
    const folders = ['from', 'to'].map(side => join(folder.path, `${count} it's [a-z]*`, `n=${side}`))
    for (const [at, sql] of [from, to].entries()) {
      await mkdir(folders[at] ?? '', { recursive: true })
      await connection.run(`COPY (${sql}) TO '${folders[at]?.replaceAll("'", "''")}/t.parquet' (FORMAT parquet)`)
    }
    return folders
  }

  async function compare(from: string, to: string, key: string[] = [], limit = 0): Promise<TableDifference> {
    const folders = await write(from, to)
    const [older = '', newer = ''] = folders.map(each => join(each, 't.parquet'))
    const tables = [{ name: 't', from: older, to: newer, key }]
    const [found] = await compareTables({ tables, limit }, scratch, signal)
    assert.ok(found)
    assert.deepEqual(await readdir(scratch), [])
    return found
  }

  const values = (rows: string, names = 'k, n, s') => `SELECT * FROM (VALUES ${rows}) AS t(${names})`

  it('counts and shows rows added, removed and changed, and the columns that changed', async () => {
    const found = await compare(
      values(`('a', 1, 'x'), ('b', 2, 'y'), ('c', 3, NULL), ('d', 4, 'z')`),
      values(`('d', 4, 'z'), ('b', 2, NULL), ('c', 30, 'w'), ('e', 5, 'v'), ('f', 6, NULL)`),
      ['k'],
      10,
    )
    assert.deepEqual(found, {
      name: 't',
      key: ['k'],
      rows: { from: 4, to: 5, added: 2, removed: 1, changed: 2 },
      columns: {
        ...NONE,
        changed: [
          { name: 'n', rows: 1 },
          { name: 's', rows: 2 },
        ],
      },
      shown: {
        added: [
          { values: { k: 'e', n: '5', s: 'v' }, times: 1 },
          { values: { k: 'f', n: '6', s: null }, times: 1 },
        ],
        removed: [{ values: { k: 'a', n: '1', s: 'x' }, times: 1 }],
        changed: [
          { key: { k: 'b' }, columns: [{ name: 's', from: 'y', to: null }] },
          {
            key: { k: 'c' },
            columns: [
              { name: 'n', from: '3', to: '30' },
              { name: 's', from: null, to: 'w' },
            ],
          },
        ],
      },
    })
  })

  it('matches NULL with NULL in keys of several columns, whatever their case', async () => {
    const names = 'child, parent, share'
    const found = await compare(
      values(`('g', NULL, 1.0), ('p', 'g', 0.5), ('p', 'h', 0.5)`, names),
      values(`('g', NULL, 0.9), ('p', 'g', 0.5), ('p', NULL, 0.5)`, names),
      ['CHILD', 'parent'],
    )
    assert.deepEqual(found.key, ['child', 'parent'])
    assert.deepEqual(found.rows, { from: 3, to: 3, added: 1, removed: 1, changed: 1 })
  })

  it('compares whole rows as often as they occur where there is no key', async () => {
    const found = await compare(
      values(`('a', 1, 'x'), ('a', 1, 'x'), ('a', 1, 'x'), ('b', 2, NULL), ('b', 2, NULL), ('c', 3, 'y')`),
      values(`('a', 1, 'x'), ('b', 2, NULL), ('b', 2, NULL), ('c', 4, 'y'), ('c', 4, 'y')`),
      [],
      10,
    )
    assert.equal(found.key, null)
    assert.deepEqual(found.rows, { from: 6, to: 5, added: 2, removed: 3, changed: null })
    assert.deepEqual(found.shown, {
      added: [{ values: { k: 'c', n: '4', s: 'y' }, times: 2 }],
      removed: [
        { values: { k: 'a', n: '1', s: 'x' }, times: 2 },
        { values: { k: 'c', n: '3', s: 'y' }, times: 1 },
      ],
      changed: [],
    })
  })

  it('compares whole rows if a file has a key twice or lacks a column of it', async () => {
    const once = values(`('a', 1, 'x')`)
    const twice = values(`('a', 1, 'x'), ('a', 2, 'x')`)
    for (const [from, to] of [
      [once, twice],
      [twice, once],
    ] as const) {
      const { key, rows } = await compare(from, to, ['k'])
      assert.deepEqual([key, rows.added + rows.removed, rows.changed], [null, 1, null])
    }
    const lacking = await compare(once, values(`(1, 'x')`, 'n, s'), ['k'])
    assert.deepEqual([lacking.key, lacking.rows.added, lacking.rows.removed], [null, 0, 0])
    assert.deepEqual(lacking.columns.removed, ['k'])
  })

  it('finds every change of a value once, and none where nothing changed', async () => {
    const pairs: [type: string, same: string, other: string][] = [
      ['DOUBLE', `'nan'`, `'inf'`],
      ['DOUBLE', '0.1', '0.10000000000000002'],
      ['BIGINT', '9007199254740993', '9007199254740992'],
      ['DECIMAL(38, 2)', '12345678901234567890.01', '12345678901234567890.02'],
      ['VARCHAR', `'a'`, `'a '`],
      ['VARCHAR', `''`, 'NULL'],
      ['VARCHAR', `'é'`, `'e\u0301'`],
      ['BLOB', `'\\x00\\xFF'`, `'\\x00'`],
      ['DATE', `'infinity'`, `'9999-12-31'`],
      ['TIMESTAMPTZ', `'2026-11-20 01:02:03Z'`, `'2026-11-20 01:02:03.000001Z'`],
      ['INTERVAL', `'1 month'`, `'30 days'`],
      ['INTEGER[]', '[1, NULL]', '[NULL, 1]'],
      ['STRUCT(a INTEGER, b DOUBLE[])', `{'a': NULL, 'b': ['nan']}`, `{'a': NULL, 'b': NULL}`],
      ['MAP(VARCHAR, INTEGER)', `MAP {'a': 1}`, `MAP {'a': NULL}`],
      ['UUID', `'0b000000-0000-4000-8000-000000001001'`, `'0b000000-0000-4000-8000-000000001002'`],
    ]
    const columns = (other: boolean) =>
      pairs.map(([type, same, next], at) => `CAST(${other ? next : same} AS ${type}) AS v${at}`).join(', ')
    const rows = (other: boolean) => `SELECT 1 AS k, ${columns(other)} UNION ALL SELECT 2, ${columns(false)}`
    const keyed = await compare(rows(false), rows(true), ['k'])
    assert.deepEqual(keyed.rows, { from: 2, to: 2, added: 0, removed: 0, changed: 1 })
    assert.deepEqual(
      keyed.columns.changed,
      pairs.map((_, at) => ({ name: `v${at}`, rows: 1 })),
    )
    const { rows: whole } = await compare(rows(false), rows(true))
    assert.deepEqual([whole.added, whole.removed], [1, 1])
    for (const key of [['k'], []]) {
      const { rows: same } = await compare(rows(true), rows(true), key)
      assert.equal(same.added + same.removed + (same.changed ?? 0), 0)
    }
  })

  it('reports columns added, removed and of another type, whose values it compares as text', async () => {
    const found = await compare(
      `SELECT * FROM (VALUES ('1', 1, 1, 'old'), ('2', 2, 2, 'old')) AS t(k, n, "c0", gone)`,
      `SELECT * FROM (VALUES (1, 1::BIGINT, '1', true), (2, 3::BIGINT, 'two', false)) AS t(k, n, "c0", "here")`,
      ['k'],
      5,
    )
    assert.deepEqual(found.rows, { from: 2, to: 2, added: 0, removed: 0, changed: 1 })
    assert.deepEqual(found.columns, {
      added: ['here'],
      removed: ['gone'],
      retyped: [
        { name: 'k', from: 'VARCHAR', to: 'INTEGER' },
        { name: 'n', from: 'INTEGER', to: 'BIGINT' },
        { name: 'c0', from: 'INTEGER', to: 'VARCHAR' },
      ],
      changed: [
        { name: 'n', rows: 1 },
        { name: 'c0', rows: 1 },
      ],
    })
    assert.deepEqual(found.shown?.changed, [
      {
        key: { k: '2' },
        columns: [
          { name: 'n', from: '2', to: '3' },
          { name: 'c0', from: '2', to: 'two' },
        ],
      },
    ])
    const other = await compare('SELECT 1 AS a', 'SELECT 1 AS b FROM range(3)', [], 5)
    assert.deepEqual(other.rows, { from: 1, to: 3, added: 3, removed: 1, changed: null })
  })

  it('compares empty tables', async () => {
    const none = `${values(`('a', 1, 'x')`)} LIMIT 0`
    for (const key of [['k'], []]) {
      const { rows } = await compare(none, values(`('a', 1, 'x')`), key, 5)
      assert.deepEqual([rows.from, rows.to, rows.added, rows.removed, rows.changed ?? 0], [0, 1, 1, 0, 0])
      const empty = await compare(none, none, key, 5)
      assert.deepEqual(empty.shown, { added: [], removed: [], changed: [] })
    }
  })

  it('shows at most as many rows of each kind as asked for, and cuts long values', async () => {
    const rows = (from: number) =>
      `SELECT i AS k, repeat('😀', 5000) || i % ${from + 7} AS s FROM range(${from}, 100) t(i)`
    const { rows: counts, shown } = await compare(rows(0), `${rows(9)} UNION ALL SELECT 100, NULL`, ['k'], 3)
    assert.equal(counts.removed, 9)
    assert.deepEqual(
      [shown?.added, shown?.removed, shown?.changed].map(each => each?.length),
      [1, 3, 3],
    )
    assert.equal(shown?.removed[0]?.values.s, `${'😀'.repeat(1000)}…`)
    // Both of the same beginning, which does not hide that they differ.
    assert.equal(shown?.changed[0]?.columns[0]?.from, shown?.changed[0]?.columns[0]?.to)
  })

  it('refuses a file that it cannot read', async () => {
    const folders = await write('SELECT 1 AS k', 'SELECT 2 AS k')
    const [from = '', to = ''] = folders.map(each => join(each, 't.parquet'))
    await writeFile(to, 'PAR1 and no more')
    const job = { tables: [{ name: 't', from, to, key: [] }], limit: 0 }
    await assert.rejects(
      compareTables(job, scratch, signal),
      /^Refusal: The snapshots cannot be compared: Invalid Input Error/,
    )
  })

  /** A comparison that takes long. */
  async function longJob() {
    const folders = await write('SELECT range AS k FROM range(3000000)', 'SELECT range AS k FROM range(3000000)')
    const [from = '', to = ''] = folders.map(each => join(each, 't.parquet'))
    const table = { name: 't', from, to, key: [] }
    return { tables: Array.from({ length: 1000 }, () => table), limit: 5 }
  }

  it('says when its process was killed, and blames no memory for that', async function () {
    if (process.platform !== 'linux') this.skip()
    const comparing = compareTables(await longJob(), scratch, signal)
    comparing.catch(() => {})
    await endAtWork(() => childrenOf(process.pid), 'SIGKILL')
    await assert.rejects(
      comparing,
      /^Refusal: The snapshots cannot be compared: its process was killed from outside by SIGKILL$/,
    )
  })

  it('ends its process at an abort', async () => {
    const job = await longJob()
    const aborted = new AbortController()
    const comparing = compareTables(job, scratch, aborted.signal)
    aborted.abort()
    await assert.rejects(comparing, { name: 'AbortError' })
  })
})
