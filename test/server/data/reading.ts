import assert from 'node:assert/strict'
import type { Row } from 'foldgate/client'
import type { Assessed } from './assessed.js'
import { alike, differences, few } from './differences.js'
import { FOLDS, type FoldName } from './folds.js'
import type { Viewpoint, Worked } from './worked.js'

/** Longer folds are compared by row count and column sums. */
const MOST_ROWS = 2_500
const SHARE = 'share'

/** Reads all rows of a fold from a point of view. */
export function readFold(assessed: Assessed, worked: Worked, from: Viewpoint, fold: FoldName): Promise<Row[]> {
  const sql = `SELECT * FROM ${fold} ORDER BY ${FOLDS[fold].key.join(', ')}`
  return assessed.rows(worked.project, sql, pointOf(worked, from))
}

/** The params of a query from this point of view. */
export function pointOf({ ownership }: Worked, { entity, view, isAlone = false }: Viewpoint) {
  const entityId = ownership.ids.get(entity)
  if (entityId === undefined) throw new RangeError(`there is no entity ${entity}`)
  if (isAlone) return { seeing: entityId, ownershipView: view }
  return { ...(entity === ownership.root ? {} : { entityId }), ownershipView: view }
}

/** Fails unless the fold has exactly these rows from this point of view. Rows without a share have that of their entity. */
export async function assertFold(
  assessed: Assessed,
  worked: Worked,
  from: Viewpoint,
  fold: FoldName,
  expected: readonly object[],
): Promise<void> {
  const where = `${fold} from ${from.entity}, ${from.view}`
  const shareOf = shares(worked, from, fold)
  if (expected.length > MOST_ROWS) {
    const [sums] = await assessed.rows(worked.project, sumsSql(fold), pointOf(worked, from))
    for (const [column, sum] of sumsOf(fold, expected, shareOf))
      assert.ok(alike(sums?.[column], sum), `${where}: the sum of ${column} is ${sums?.[column]}, not ${sum}`)
    return
  }
  const rows = await readFold(assessed, worked, from, fold)
  const complete = shareOf ? expected.map(row => ({ ...row, share: shareOf(row) })) : expected
  const { onlyFirst, onlySecond, unequal } = differences(complete, rows, FOLDS[fold].key)
  assert.equal(few(onlyFirst), '', `${where} lacks`)
  assert.equal(few(onlySecond), '', `${where} should not hold`)
  assert.equal(few(unequal.values()), '', `${where} should hold`)
}

/** Returns the share of a row, or of its entity; null for folds without shares. */
function shares(worked: Worked, from: Viewpoint, fold: FoldName): ((row: object) => number) | null {
  if (!FOLDS[fold].columns.some(({ name }) => name === SHARE)) return null
  const inView = worked.shares(from)
  return row => {
    const { entity_key, share } = row as { entity_key: string; share?: number }
    return share ?? inView.get(entity_key) ?? 0
  }
}

function sumsSql(fold: FoldName): string {
  const sums = summed(fold).map(column => `sum(${column})::DOUBLE AS ${column}`)
  return `SELECT ${['count(*) AS rows', ...sums].join(', ')} FROM ${fold}`
}

function sumsOf(
  fold: FoldName,
  rows: readonly object[],
  shareOf: ((row: object) => number) | null,
): [column: string, sum: number][] {
  const sums = summed(fold).map((column): [string, number] => {
    const cell = (row: object) => (column === SHARE ? shareOf?.(row) : (row as Record<string, number | null>)[column])
    return [column, rows.reduce((sum, row) => sum + (cell(row) ?? 0), 0)]
  })
  return [['rows', rows.length], ...sums]
}

function summed(fold: FoldName): string[] {
  const columns = FOLDS[fold].columns.filter(({ type }) => ['INTEGER', 'BIGINT', 'DOUBLE'].includes(type))
  return columns.map(({ name }) => name)
}
