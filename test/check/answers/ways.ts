import type { ExportFormat } from 'foldgate/client'
import type { BareEngine } from './bare-engine.js'
import { differs, differsFrom, type Right } from './compare.js'
import type { NextEngine } from './next-engine.js'
import { type Rows, readExport } from './rows.js'
import type { AnswersService } from './service.js'
import type { Statement } from './statements.js'

/** Who answers: the product, the engine alone without its optimizer, and the next version of the engine if it is there. */
export interface Answerers {
  service: AnswersService
  bare: BareEngine
  next: NextEngine | null
}

/** A way of answering that does not agree with the others. */
export interface Difference {
  way: string
  what: string
  /** The caller was told that there is no answer. */
  isLoud: boolean
}

const FORMATS: readonly ExportFormat[] = ['parquet', 'csv', 'ndjson', 'arrow', 'xlsx']
/** Results with more rows are paged in part, and exported in two formats. */
const MANY_ROWS = 3_000
/** Statements with more rows, or that take longer without an optimizer, are not asked: many others could be instead. */
const MOST_ROWS = 40_000
const WITHIN_MS = 4_000
/** Results with more rows are paged in small pages, and are written as workbooks, only in part. */
const SOME_ROWS = 700

/**
 * The right answer to a statement, by the engine without its optimizer; null where it has none, such as one with a
 * value that cannot be cast, or one of too many rows.
 */
export async function rightOf(
  bare: BareEngine,
  { sql, keys, columns }: Statement,
  mostRows = MOST_ROWS,
): Promise<Right | null> {
  await bare.optimize('none')
  try {
    await bare.store('answer', sql, WITHIN_MS)
  } catch {
    return null
  }
  if (Number((await bare.digest('answer', [])).rows) > mostRows) return null
  const places = keys.map(({ column }) => columns.findIndex(({ name }) => name === column))
  return { rows: await bare.rows('SELECT * FROM temp.main.answer ORDER BY rowid'), keys: places }
}

/** How the ways of answering a statement differ from the right answer. */
export async function differencesOf(statement: Statement, right: Right, who: Answerers): Promise<Difference[]> {
  const found: Difference[] = []
  for (const [way, find] of waysOf(statement, right, who)) {
    try {
      const what = await find()
      if (what !== null) found.push({ way, what, isLoud: false })
    } catch (error) {
      found.push({ way, what: String(error), isLoud: true })
    }
  }
  return found
}

type Way = readonly [name: string, find: () => Promise<string | null>]

function waysOf(statement: Statement, right: Right, { service, bare, next }: Answerers): Way[] {
  const { sql, condition } = statement
  const length = right.rows.length
  const formats = length > MANY_ROWS ? FORMATS.slice(length % 2, (length % 2) + 2) : FORMATS
  const offset = Math.max(0, Math.floor(length / 2) - 100)
  const paged = (first: number, rest: number): Way => [
    `pages of ${first}, then ${rest}`,
    async () => {
      const most = length > MANY_ROWS ? 1_700 : length + 1
      const rows = await pages(service, sql, first, rest, most)
      return length > MANY_ROWS ? differsFrom(rows, right, 0, rows.length) : differs(rows, right)
    },
  ]
  return [
    paged(10, 500),
    paged(500, 500),
    ...(length <= SOME_ROWS ? [paged(37, 37)] : []),
    [
      `LIMIT 500 OFFSET ${offset}`,
      async () => {
        const rows = await pages(service, `SELECT * FROM (${sql}) AS q LIMIT 500 OFFSET ${offset}`, 500, 500, 501)
        return differsFrom(rows, right, offset, 500)
      },
    ],
    ...formats.map(
      (format): Way => [
        format,
        async () => {
          const { columns = [] } = await service.page(`SELECT * FROM (${sql}) AS q LIMIT 0`, { limit: 1 })
          const bytes = await service.exported(sql, format)
          return differs(
            readExport(
              bytes,
              format,
              columns.map(({ type }) => type),
            ),
            right,
          )
        },
      ],
    ),
    [
      `split by ${condition}`,
      async () => {
        const parts: (readonly unknown[])[] = []
        for (const where of [condition, `NOT (${condition})`, `(${condition}) IS NULL`]) {
          const bytes = await service.exported(`SELECT * FROM (${sql}) AS q WHERE ${where}`, 'parquet')
          for (const row of readExport(bytes, 'parquet', [])) parts.push(row)
        }
        return differs(parts, { ...right, keys: [] })
      },
    ],
    ...(next === null
      ? []
      : [
          [
            `DuckDB ${next.version}`,
            async () => {
              const names = statement.keys.map(({ column }) => column)
              const [theirs, ours] = [await next.digest(sql, names), await bare.digest('answer', names)]
              return JSON.stringify(theirs) === JSON.stringify(ours)
                ? null
                : `${JSON.stringify(theirs)} instead of ${JSON.stringify(ours)}`
            },
          ] as const,
        ]),
  ]
}

/** The rows of pages, until there are at least `most`. */
async function pages(service: AnswersService, sql: string, first: number, rest: number, most: number): Promise<Rows> {
  const rows: unknown[][] = []
  let cursor: string | undefined
  for (let limit = first; ; limit = rest) {
    const page = await service.page(sql, { limit, ...(cursor === undefined ? {} : { cursor }) })
    for (const item of page.items) rows.push(Object.values(item))
    cursor = page.nextCursor
    if (cursor === undefined || rows.length >= most) return rows
  }
}
