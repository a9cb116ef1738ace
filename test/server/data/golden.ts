import type { Assessed } from './assessed.js'
import { FOLD_NAMES, type FoldName } from './folds.js'
import { pointOf } from './reading.js'
import type { Viewpoint, Worked } from './worked.js'

/** A figure of expected.csv in the ownership view, and at 100 % if there is one. */
export interface Figure {
  value: unknown
  gross?: unknown
}

/** Name of a figure, from its relation and key in expected.csv. */
export function figureName(relation: string, key: string | null): string {
  return key === null ? relation : `${relation}: ${key}`
}

/** Reads all figures that expected.csv may contain for a point of view, by name. */
export async function readFigures(assessed: Assessed, worked: Worked, from: Viewpoint): Promise<Map<string, Figure>> {
  const read = (sql: string) => assessed.rows(worked.project, sql, pointOf(worked, from))
  const figures = new Map<string, Figure>()
  for (const { ipbes_pressure, value } of await read('SELECT ipbes_pressure, value FROM dash_ipbes'))
    figures.set(figureName('dash_ipbes', String(ipbes_pressure)), { value })
  const totals = await read(`
    SELECT pressure_indicator || '|' || scope AS key, sum(net) AS value, sum(gross) AS gross
    FROM fold_pressures GROUP BY ALL ORDER BY key`)
  for (const { key, value, gross } of totals)
    figures.set(figureName('fold_pressures sum by indicator|scope', String(key)), { value, gross })
  for (const [fold, value] of await countRows(assessed, worked, from)) figures.set(`${fold} rows`, { value })
  const shares = await sumShares(assessed, worked, from)
  figures.set(figureName('activities in view', 'count and sum of path share'), { value: shares })
  return figures
}

/** Folds whose rows the documents of the real data do not count; those of `dash_ipbes` are always five. */
const UNCOUNTED: readonly FoldName[] = ['dash_ipbes', 'fold_entities', 'ownership_paths']

/** Counts the rows of the folds whose rows the documents of the real data count. */
export async function countRows(assessed: Assessed, worked: Worked, from: Viewpoint): Promise<[string, unknown][]> {
  const counts = FOLD_NAMES.filter(fold => !UNCOUNTED.includes(fold)).map(
    fold => `(SELECT count(*) FROM ${fold}) AS ${fold}`,
  )
  const [row] = await assessed.rows(worked.project, `SELECT ${counts.join(', ')}`, pointOf(worked, from))
  return Object.entries(row ?? {})
}

/** Sums the shares of the activities in view: read from the folds, and computed here for activities without ratings. */
async function sumShares(assessed: Assessed, worked: Worked, from: Viewpoint): Promise<number> {
  const sql = `
    SELECT sum(share) AS shares
    FROM (SELECT DISTINCT site_key, sector_code, share FROM dependency_rows)`
  const [row] = await assessed.rows(worked.project, sql, pointOf(worked, from))
  const rated = new Set(worked.dependencies.map(({ sector_code }) => sector_code))
  const inView = worked.shares(from)
  const unrated = worked.activities.filter(({ sector }) => !rated.has(sector))
  return unrated.reduce((sum, { entity }) => sum + (inView.get(entity) ?? 0), Number(row?.shares))
}
