import type { FoldDefinition } from '../../catalogue/definitions.js'
import type { QueryDefinition } from '../../catalogue/queries.js'
import { JobFailed } from '../../flow/parent.js'
import type { Column } from '../../model.js'
import type { Trial } from './trial.js'

/** What describes the columns that its SQL yields. */
type DescribedDefinition = FoldDefinition | QueryDefinition

/** Says in what the columns of SQL first differ from their description; null when they are alike. */
type FindDifference = (described: DescribedDefinition, yielded: readonly Column[]) => string | null

/** Asks the engine how it writes the types that are described: `INT` is `INTEGER`. */
export async function openDifferences(
  trial: Trial,
  written: readonly DescribedDefinition[],
): Promise<FindDifference> {
  const described = [...new Set(written.flatMap(({ columns }) => Object.values(columns ?? {})))]
  const types = await canonicalTypes(trial, described)
  return (each, yielded) => {
    const { columns } = each
    if (columns === undefined) return 'unique' in each ? unknownColumn(each, yielded) : null
    const expected = Object.entries(columns)
    for (let at = 0; at < Math.max(expected.length, yielded.length); at++) {
      const [name, type] = expected[at] ?? []
      const found = yielded[at]
      const place = `column ${at + 1}`
      if (name === undefined || type === undefined)
        return `${place}: the SQL yields ${shown(found)}, and columns ends before it: write them alike`
      const canonical = types.get(type)
      if (canonical === undefined) return `${place}: ${name} is of type "${type}", which is none`
      if (found === undefined)
        return `${place}: columns has ${name} ${type}, and the SQL yields only ${yielded.length}: write them alike`
      if (found.name !== name || found.type !== canonical)
        return `${place}: the SQL yields ${shown(found)}, and columns has ${name} ${type}: write them alike`
    }
    return null
  }
}

/** A column that a fold without `columns` says something about, and that its SQL does not yield. */
function unknownColumn({ unique, references, values }: FoldDefinition, yielded: readonly Column[]) {
  const named = { unique, references: Object.keys(references), values: Object.keys(values) }
  for (const [place, columns] of Object.entries(named)) {
    const unknown = columns.find(column => !yielded.some(({ name }) => name === column))
    if (unknown !== undefined) return `${place} names "${unknown}", which the SQL does not yield`
  }
  return null
}

function shown(column: Column | undefined): string {
  return `${column?.name} ${column?.type}`
}

async function canonicalTypes(trial: Trial, types: readonly string[]): Promise<Map<string, string>> {
  if (types.length === 0) return new Map()
  const list = types.map(type => `typeof(CAST(NULL AS ${type}))`).join(', ')
  try {
    const rows = await trial.rows(`SELECT unnest([${list}]) AS type`, [], types.length)
    return new Map(types.map((type, at) => [type, String(rows[at]?.type)]))
  } catch (cause) {
    if (!(cause instanceof JobFailed)) throw cause
    if (types.length === 1) return new Map() // the engine knows no such type
    const each = await inTurn(types, type => canonicalTypes(trial, [type]))
    return new Map(each.flatMap(found => [...found]))
  }
}

async function inTurn<Item, Value>(items: readonly Item[], work: (item: Item) => Promise<Value>) {
  const values: Value[] = []
  for (const item of items) values.push(await work(item))
  return values
}
