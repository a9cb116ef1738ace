import { type NodeReader, SPLIT } from '../../../guard/refusal.js'
import { lowerAscii, type Node, QUERIES } from './shapes.js'

/** Bounds on a statement's tree; each limits the work of the engine's parser, binder and planner. */
const MAX_NODES = 20_000
const MAX_DEPTH = 200
const MAX_LAMBDA_DEPTH = 8
const MAX_SUBQUERY_DEPTH = 8
export const MAX_TABLE_REFERENCES = 256
/** Nodes that expanding aliases and macros may add to one SELECT. */
export const MAX_COPIED_NODES = 5_000
export const MAX_NAME_LENGTH = 256
/** Grouping sets that CUBE, ROLLUP and GROUPING SETS may make in a statement, counted before it is parsed. */
export const MAX_GROUPING_SETS = 512
/** Columns that a PIVOT may make, and times that a statement may name all columns. */
export const MAX_PIVOTED = 1_000
const MAX_STARS = 100

const ARROWS = { hint: "Use json_extract(value, '$.a.b') or name the steps in WITH." }

/** Counts the nodes of a statement during the walk; throws a Refusal at the first bound that they exceed. */
export class Tally {
  readonly #reader: NodeReader
  #nodes = 0
  #depth = 0
  #lambdas = 0
  #subqueries = 0
  #stars = 0

  constructor(reader: NodeReader) {
    this.#reader = reader
  }

  /** Counts a node, whose parts are read before {@link leave}. */
  enter(): void {
    if (++this.#nodes > MAX_NODES) this.#refuse('The statement has too many parts.')
    if (++this.#depth > MAX_DEPTH) this.#refuse('The statement is nested too deeply.')
  }

  leave(): void {
    this.#depth -= 1
  }

  /** Counts an expression of this class, whose parts are read before {@link leaveExpression}. */
  enterExpression(kind: string): void {
    if (kind === 'LAMBDA' && ++this.#lambdas > MAX_LAMBDA_DEPTH)
      this.#refuse(`Lambdas and -> are nested more than ${MAX_LAMBDA_DEPTH} deep.`, ARROWS)
    if (kind === 'SUBQUERY' && ++this.#subqueries > MAX_SUBQUERY_DEPTH)
      this.#refuse(`Subqueries are nested more than ${MAX_SUBQUERY_DEPTH} deep.`)
    if (kind === 'STAR' && ++this.#stars > MAX_STARS)
      this.#refuse(`A statement has at most ${MAX_STARS} stars and COLUMNS.`)
  }

  leaveExpression(kind: string): void {
    if (kind === 'LAMBDA') this.#lambdas -= 1
    if (kind === 'SUBQUERY') this.#subqueries -= 1
  }

  #refuse(message: string, hint = SPLIT): never {
    throw this.#reader.refuse('complexity', message, hint)
  }
}

/** Clauses that may use the aliases of their own SELECT. */
const READERS = new Set(['where_clause', 'group_expressions', 'having', 'qualify'])

/**
 * For each macro of the engine, how often it copies its most-copied argument; macros that copy none are left
 * out.
 */
export const MACRO_COPIES: ReadonlyMap<string, number> = new Map([
  ['array_pop_back', 2],
  ['array_to_string', 2],
  ['array_to_string_comma_default', 2],
  ['fmod', 2],
  ['json_group_array', 2],
  ['json_group_object', 2],
  ['map_contains_entry', 2],
  ['nullif', 2],
  ['round_even', 3],
  ['roundbankers', 3],
  ['split_part', 2],
  ['wavg', 2],
  ['weighted_avg', 2],
])

/** Nodes counted for the body of each such macro. */
const BODY_NODES = 8

/**
 * Nodes that the engine adds to a query. It copies an aliased expression into each later use, and the
 * arguments of macros, so a chain of either grows exponentially, in the binder, which cannot be interrupted.
 * Counting stops above `limit`.
 */
export function nodesAddedByCopies(query: Node, limit: number): number {
  const weights = new Map<string, number>()
  let added = 0
  /** Nodes of a part once expanded; the part occurs `copies` times. Adds the copied nodes to `added`. */
  const weigh = (value: unknown, copies: number, readsAliases: boolean): number => {
    if (added > limit || value === null || typeof value !== 'object') return 0
    if (Array.isArray(value))
      return value.reduce((sum: number, entry) => sum + weigh(entry, copies, readsAliases), 0)
    const node = value as Node
    if (!readsAliases && String(node.type) in QUERIES) return 0 // counted as a separate query
    const names = readsAliases && Array.isArray(node.column_names) ? node.column_names : []
    const alias = names.length === 1 ? (weights.get(lowerAscii(String(names[0]))) ?? 0) : 0
    const each = MACRO_COPIES.get(lowerAscii(String(node.function_name ?? ''))) ?? 1
    added += alias * copies + copies - 1 + (each > 1 ? BODY_NODES * copies : 0)
    const parts = Object.values(node).reduce(
      (sum: number, part) => sum + weigh(part, copies * each, readsAliases),
      0,
    )
    return 1 + alias + each * parts
  }
  const { select_list: list, ...clauses } = query
  for (const expression of Array.isArray(list) ? (list as Node[]) : []) {
    const weight = weigh(expression, 1, true)
    const alias = expression?.alias
    if (typeof alias === 'string' && alias !== '') weights.set(lowerAscii(alias), weight)
  }
  for (const [name, clause] of Object.entries(clauses)) weigh(clause, 1, READERS.has(name))
  return added
}

/** Columns that the binder makes of a PIVOT: one for each combination of values and each aggregate. */
export function pivotedColumns({ pivots, aggregates }: Node): number {
  const lengths = (pivots as readonly Node[]).map(({ entries }) => (entries as readonly unknown[]).length)
  const combined = lengths.reduce((product, length) => product * Math.max(1, length), 1)
  return combined * Math.max(1, (aggregates as readonly unknown[]).length)
}
