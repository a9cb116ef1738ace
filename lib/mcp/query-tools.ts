import { newestOf, type QueryDefinition, versioned } from '../catalogue/queries.js'
import type { Service } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
import { QUERIES } from '../methods/named-queries.js'
import type { Caller } from '../ports.js'

/** A named query as a tool. */
export interface QueryTool {
  /** Name of the tool: clients accept neither a slash nor an @ in it. */
  tool: string
  method: Method
  /** What the tool does, and what its rows have. */
  description: string
  /** The method that a call with these params runs. */
  chosen(params: unknown): Promise<Method>
}

/** The newest version of each named query that a key may run. */
export async function queryTools({ calls }: Pick<Service, 'calls'>, caller: Caller): Promise<QueryTool[]> {
  const open = await calls.queries.of(caller)
  const queries = open.map(({ query }) => query)
  return open
    .filter(({ query }) => newestOf(queries, query.name) === query)
    .map(({ query, rows }) => ({
      tool: `queries_${query.name}`,
      method: rows,
      description: rows.description + RESULT + columnsOf(query),
      chosen: params => calls.queries.find(QUERIES + versioned(query), params, caller) as Promise<Method>,
    }))
}

const RESULT =
  ' The result of a page is { columns: [{ name, type }], rows: [[value, ...]], nextCursor }: the values of a row are in the ' +
  'order of the columns.'

function columnsOf({ columns = {}, meanings }: QueryDefinition): string {
  const list = Object.entries(columns).map(([name, type]) => {
    const { about, unit } = Object.hasOwn(meanings, name) ? (meanings[name] ?? {}) : {}
    const told = [about, unit && `unit: ${unit}`].filter(Boolean).join('; ')
    return told ? `${name} ${type} (${told})` : `${name} ${type}`
  })
  return list.length > 0 ? ` Columns: ${list.join(', ')}.` : ''
}
