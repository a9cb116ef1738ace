import { randomUUID } from 'node:crypto'
import { Phases } from 'foldgate/engine'
import { must, mustBe, shown, together } from '#contracts/contract.js'
import { MILL, newPoint, READINGS, SAMPLE_COLUMNS, SAMPLED } from './assessment.js'
import { type Bench, mustHaveRows, rowsOf } from './bench.js'

export const ALL_SAMPLES = `SELECT ${SAMPLE_COLUMNS.join(', ')} FROM samples ORDER BY id`
const TONNES = 'SELECT tonnes, emitters FROM fold_tonnes'
const COUNTED = 'SELECT n, n * 2 AS twice FROM readings ORDER BY n DESC'

/** The expected rows of {@link COUNTED} from an offset. */
const countedFrom = (offset: number, rows: number) =>
  Array.from({ length: rows }, (_, at) => ({
    n: READINGS - 1 - offset - at,
    twice: 2 * (READINGS - 1 - offset - at),
  }))

/** Offsets and limits that end before, at and after the end of {@link READINGS} rows. */
export const RANGES = [
  [0, 7],
  [1_990, 20],
  [READINGS - 503, 500],
  [READINGS - 3, 3],
  [READINGS - 3, 4],
] as const

/** Values that no table here holds, as SQL and as JSON. */
const VALUES: [sql: string, json: unknown][] = [
  ['CAST(0.1 AS REAL)', 0.1],
  ['CAST(32767 AS SMALLINT)', 32767],
  ['CAST(-9007199254740993 AS BIGINT)', '-9007199254740993'],
  ["CAST('123456789012.345' AS DECIMAL(18,3))", 123456789012.345],
  ["CAST('1234567890123.456' AS DECIMAL(18,3))", '1234567890123.456'],
  ["CAST('Infinity' AS DOUBLE)", 'Infinity'],
  ["CAST('-Infinity' AS DOUBLE)", '-Infinity'],
  ["CAST('NaN' AS DOUBLE)", 'NaN'],
  ["''", ''],
  ["'it''s \\ \"quoted\"\n\t雪'", 'it\'s \\ "quoted"\n\t雪'],
  ['1 = 2', false],
  ['CAST(NULL AS INTEGER)', null],
  ["CAST('a5e1d3c0-0000-4000-8000-000000000001' AS UUID)", 'a5e1d3c0-0000-4000-8000-000000000001'],
  ["CAST('01:02:03' AS TIME)", '01:02:03'],
  ["DATE '2026-11-20'", '2026-11-20'],
  ["TIMESTAMP '2026-11-20 01:02:03.450'", '2026-11-20T01:02:03.45'],
  ["CAST('2026-11-20 03:02:03+02:00' AS TIMESTAMP WITH TIME ZONE)", '2026-11-20T01:02:03Z'],
  ["ARRAY['a', NULL]", ['a', null]],
  ["CAST(ROW(1, 'x') AS ROW(a INTEGER, b VARCHAR))", { a: 1, b: 'x' }],
]

export const ROWS = {
  async 'writes every value as JSON, exactly'(bench: Bench) {
    await bench.mustGive(ALL_SAMPLES, SAMPLED)
    for (const [sql, json] of VALUES) await bench.mustGive(`SELECT ${sql} AS value`, [{ value: json }])
  },

  async 'keeps the names of columns, and numbers those that repeat'(bench: Bench) {
    const mixed = { MixedCase: 1, 'two words': 2, __proto__of: 3 }
    await bench.mustGive('SELECT 1 AS "MixedCase", 2 AS "two words", 3 AS "__proto__of"', [mixed])
    await bench.mustGive('SELECT 1 AS a, 2 AS a, 3 AS b', [{ a: 1, a_1: 2, b: 3 }])
    const [row = {}] = await bench.rows('SELECT 1 + 1, 2 + 2')
    mustBe('rows() of columns without names', Object.values(row), [2, 4])
    must(!('' in row), 'rows() gave a column an empty name', 'give every column a name')
  },

  async 'gives the rows of a range, in their order'(bench: Bench) {
    for (const [offset, limit] of RANGES) {
      const did = `rows() from ${offset}, at most ${limit},`
      const page = await bench.answered(did, bench.page(COUNTED, { offset, limit }))
      mustHaveRows(did, rowsOf(page, COUNTED), countedFrom(offset, Math.min(limit, READINGS - offset)))
      mustBe(`more of ${did}`, page.more, offset + limit < READINGS)
    }
  },

  async 'names the columns of a page without rows'(bench: Bench) {
    const next = 'SELECT n, n + 1 AS "Next" FROM readings'
    for (const [sql, offset] of [
      [`${next} WHERE n < 0`, 0],
      [`${next} ORDER BY n`, READINGS],
      [`${next} ORDER BY n`, 10 * READINGS],
    ] as const) {
      const { rows, more, columns } = await bench.answered(`rows() of ${shown(sql)}`, bench.page(sql, { offset }))
      mustBe('a page without rows', { rows, more, columns }, { rows: 0, more: false, columns: ['n', 'Next'] })
    }
  },

  async 'ends a page early at pageBytes'(bench: Bench) {
    const bytesOf = (row: object) => JSON.stringify(row).length
    const pageBytes = 10 * bytesOf(countedFrom(0, 1)[0] as object) + 5
    for (let offset = 0, pages = 0; pages < 4; pages++) {
      const page = await bench.answered('rows()', bench.page(COUNTED, { offset, limit: 100, pageBytes }))
      const rows = rowsOf(page, COUNTED)
      const size = rows.reduce((sum, row) => sum + bytesOf(row), 0)
      const follow = page.more ? 'more' : 'none'
      const did = `rows() gave ${rows.length} rows of ${size} bytes, and reported that ${follow} follow`
      must(
        size <= pageBytes && page.more,
        did,
        `end a page of 100 rows before ${pageBytes} bytes, and report that more follow`,
      )
      must(rows.length >= 5, did, `fill ${pageBytes} bytes, as far as whole rows do`)
      mustHaveRows(`rows() from ${offset}`, rows, countedFrom(offset, rows.length))
      offset += rows.length
    }
    const one = await bench.rows(COUNTED, { limit: 5, pageBytes: 1 })
    mustHaveRows('rows() with pageBytes smaller than a row', one, countedFrom(0, 1))
  },

  async 'counts ownership as the point of view does'(bench: Bench) {
    for (const [ownershipView, entityId, tonnes, emitters] of [
      ['net', null, 56, 4],
      ['gross', null, 120, 4],
      ['net', MILL, 64, 3],
      ['gross', MILL, 112, 3],
    ] as const) {
      const when = ` of ${entityId === null ? 'the whole project' : 'a subtree'} in ${ownershipView} view`
      await bench.mustGive(TONNES, [{ tonnes, emitters }], { ownershipView, entityId }, when)
    }
    const table = 'SELECT sum(tonnes) AS tonnes FROM emissions'
    await bench.mustGive(table, [{ tonnes: 120 }], { entityId: MILL }, ', which is as stored in every view,')
  },

  async 'reads the snapshot of the point of view'(bench: Bench) {
    const projectId = randomUUID()
    const [older, newer] = [await newPoint(bench.folder, 8, projectId), await newPoint(bench.folder, 512, projectId)]
    const read = (age: string, tonnes: number, { snapshot }: typeof older) =>
      bench.mustGive('SELECT tonnes FROM fold_tonnes', [{ tonnes }], { snapshot }, ` of ${age} snapshot`)
    await read('an older', 56, older)
    await read('a newer', 3584, newer)
    await read('the older', 56, older)
    const digests = (point: typeof older) => bench.engine.digests(point.snapshot)
    mustBe('digests() of the same snapshot', digests(older), digests(older))
    const differ = shown(digests(older)) !== shown(digests(newer))
    must(differ, 'digests() of another snapshot were the same', 'differ with the rows')
  },

  async 'never shows an organization the rows of another'(bench: Bench) {
    const north = await newPoint(bench.folder, 8)
    // Hosts may use the same ids of snapshots in several projects.
    const south = {
      ...(await newPoint(bench.folder, 512, randomUUID(), north.snapshot.snapshotId)),
      organization: 'south',
    }
    const least = 'SELECT min(tonnes) AS tonnes FROM emissions'
    const asked = Array.from({ length: 12 }, (_, at) => {
      const [point, tonnes] = at % 2 === 0 ? [north, 8] : [south, 512]
      const sql = at % 4 < 2 ? least : 'SELECT tonnes / 7 AS tonnes FROM fold_tonnes'
      return bench.mustGive(sql, [{ tonnes }], point, ` of ${point.organization}`)
    })
    await together(asked)
  },

  async 'has the columns of every relation, and no rows of a table that is absent'(bench: Bench) {
    const expected = {
      fold_tonnes: ['tonnes', 'emitters'],
      samples: SAMPLE_COLUMNS,
      remarks: ['n', 'remark'],
      entities: ['entity_key', 'entity_id', 'parent_key', 'ownership_share'],
    }
    const columnsOf = (relations: string[]) =>
      bench.answered('columns()', bench.engine.columns(bench.point, relations, bench.prepared({})[1]))
    const columns = await columnsOf(Object.keys(expected))
    const names = columns.map(each => each.map(({ name }) => name))
    mustBe('columns()', names, Object.values(expected))
    const untyped = columns.flat().filter(({ type }) => typeof type !== 'string' || type === '')
    must(untyped.length === 0, `columns() gave ${shown(untyped)}`, 'give each column its type in SQL')
    mustBe('columns() of no relations', await columnsOf([]), [])
    await bench.mustGive('SELECT count(*) AS n, max(remark) AS remark FROM remarks', [{ n: 0, remark: null }])
  },

  async 'answers the same call twice at once'(bench: Bench) {
    await together([1, 2, 3, 4].map(() => bench.mustGive(TONNES, [{ tonnes: 56, emitters: 4 }])))
  },

  async 'records the time of a statement'(bench: Bench) {
    const phases = new Phases()
    await bench.rows(COUNTED, {}, { phases })
    const { query } = phases.spentMs
    must(query !== undefined && query > 0, `rows() added ${query} ms to the phase query`, 'add the time that it takes')
  },

  async 'releases every snapshot that it has opened'(bench: Bench) {
    const { snapshot } = bench.point
    let held = 0
    const open = async (files: readonly string[]) => {
      const lease = await snapshot.open(files)
      let mine = 1
      held += 1
      const release = () => {
        held -= mine
        mine = 0
        return lease.release()
      }
      return { ...lease, release }
    }
    await bench.mustGive(TONNES, [{ tonnes: 56, emitters: 4 }], { snapshot: { ...snapshot, open } })
    await bench.until(() => held === 0, `${held} leases were never released`, 'release each one')
  },
}
