import { clip, type GuardRule, type NodeReader, Refusal, SPLIT } from '../../../guard/refusal.js'
import {
  MAX_COPIED_NODES,
  MAX_NAME_LENGTH,
  MAX_PIVOTED,
  nodesAddedByCopies,
  pivotedColumns,
  Tally,
} from './bounds.js'
import { checkCall, checkColumn, checkGroup, checkTableFunction, checkTypeName } from './calls.js'
import { checkColumnsPattern } from './patterns.js'
import { NamedRelations } from './relations.js'
import {
  EXPRESSIONS,
  type FieldKind,
  lowerAscii,
  type Node,
  type NodeShape,
  PARTS,
  QUERIES,
  TABLES,
} from './shapes.js'
import { checkSlice } from './typed.js'
import { checkSample, checkWindow } from './windows.js'

const COPIED = 'Aliases that use aliases, or functions within functions, make this SELECT too large.'
const DESCRIBE = { hint: 'projects/describe lists the relations and the columns of one.' }

/** Names, for messages, of the constructs behind fields that must be empty. */
const CONSTRUCTS: Readonly<Record<string, string>> = {
  at_clause: 'AT (VERSION or TIMESTAMP)',
  export_state: 'EXPORT_STATE',
  pivot_enum: 'A PIVOT without its values',
  catalog: 'A type with a database',
  schema: 'A type with a schema',
}

/** Walks the tree of a statement from its top; throws a {@link Refusal} at the first part not allowed. */
export class Walk implements NodeReader {
  /** Whether the statement's rows may differ from run to run. */
  volatile = false
  readonly parameters = new NamedParameters()
  readonly functions: ReadonlySet<string>
  readonly #relations: NamedRelations
  readonly #tally = new Tally(this)
  #offset: number | undefined

  constructor(catalogue: ReadonlySet<string>, functions: ReadonlySet<string>) {
    this.functions = functions
    this.#relations = new NamedRelations(catalogue, this)
  }

  /** Relations of the catalogue that the statement names. */
  get relations(): ReadonlySet<string> {
    return this.#relations.named
  }

  statement(statement: unknown): void {
    this.#fields(this.#node(statement), PARTS.statement)
  }

  refuse(rule: GuardRule, message: string, more: { name?: string; hint?: string } = {}): Refusal {
    const at = this.#offset === undefined ? {} : { offset: this.#offset }
    return new Refusal({ rule, message, ...more, ...at })
  }

  markVolatile(): void {
    this.volatile = true
  }

  /** Reads the value of a field, by the kind of the field. */
  readonly #readers: Readonly<Record<FieldKind, (value: unknown, key: string) => void>> = {
    scalar: value => this.#scalar(value),
    names: value => this.#names(value),
    parameters: () => {}, // #expression reads each of them
    columns: value => this.#columns(value),
    empty: (value, key) => this.#empty(value, key),
    expression: value => this.#expression(this.#node(value)),
    expressions: value => this.#each(value, 'expression'),
    rows: value => this.#each(value, 'expressions'),
    query: value => this.#query(this.#node(value)),
    queries: value => this.#each(value, 'query'),
    statement: value => this.#fields(this.#node(value), PARTS.statement),
    table: value => this.#table(this.#node(value)),
    call: value => this.#tableFunction(this.#node(value)),
    modifiers: value => this.#modifiers(value),
    ordering: value => this.#fields(this.#node(value), PARTS.ORDER_MODIFIER),
    orders: value => this.#parts(value, PARTS.order),
    cases: value => this.#parts(value, PARTS.case),
    replacements: value => this.#parts(value, PARTS.replacement),
    pivots: value => this.parameters.inPivot(() => this.#parts(value, PARTS.pivot)),
    entries: value => this.#parts(value, PARTS.entry),
    // #query reads these before the rest of the query.
    ctes: () => {},
    sample: value => this.#sample(this.#node(value)),
    type: value => this.#type(this.#node(value)),
    value: value => this.#type(this.#node(this.#node(value).type)),
    values: value => this.#each(value, 'value'),
  }

  #each(value: unknown, item: FieldKind): void {
    for (const entry of this.#list(value)) this.#readers[item](entry, '')
  }

  #parts(value: unknown, shape: NodeShape): void {
    for (const entry of this.#list(value)) this.#fields(this.#node(entry), shape)
  }

  /** Reads all fields of a node by its shape, between `check` and `after`; refusals point at the node. */
  #fields(
    node: Node,
    shape: NodeShape | undefined,
    what = 'construct',
    check?: () => void,
    after?: () => void,
  ): void {
    const outer = this.#offset
    const location = node.query_location
    if (typeof location === 'number' && location <= Number.MAX_SAFE_INTEGER) this.#offset = location
    this.#tally.enter()
    if (!shape) throw this.refuse('construct', `This ${what} is not allowed in a query.`)
    check?.()
    for (const key of Object.keys(node)) {
      const field = Object.hasOwn(shape, key) ? shape[key] : undefined
      if (!field) throw this.refuse('construct', 'The statement holds a construct that queries may not use.')
      const value = node[key]
      if (value !== null && value !== undefined) this.#readers[field](value, key)
    }
    after?.()
    this.#offset = outer
    this.#tally.leave()
  }

  #scalar(value: unknown): void {
    if (typeof value === 'string' && value.length > MAX_NAME_LENGTH)
      throw this.refuse('size', `A name is longer than ${MAX_NAME_LENGTH} characters.`)
    if (Array.isArray(value)) for (const entry of value) this.#scalar(entry)
    else if (typeof value === 'object' && value !== null) throw this.#unreadable()
  }

  #names(value: unknown): void {
    if (typeof value !== 'object' || value === null) this.#scalar(value)
    else for (const part of Object.values(value)) this.#names(part)
  }

  #columns(value: unknown): void {
    this.#scalar(value)
    for (const name of this.#list(value)) checkGroup(this, String(name))
  }

  #empty(value: unknown, key: string): void {
    const isEmpty = value === '' || value === false || (Array.isArray(value) && value.length === 0)
    if (isEmpty) return
    const written = Object.hasOwn(CONSTRUCTS, key) ? CONSTRUCTS[key] : undefined
    throw this.refuse('construct', `${written ?? 'A construct of this statement'} is not allowed in a query.`)
  }

  #query(node: Node): void {
    this.#relations.nested(() => {
      this.#commonTables(node.cte_map)
      if (nodesAddedByCopies(node, MAX_COPIED_NODES) > MAX_COPIED_NODES)
        throw this.refuse('complexity', COPIED, SPLIT)
      this.#fields(node, QUERIES[String(node.type)], 'kind of query')
    })
  }

  #commonTables(map: unknown): void {
    const entries = this.#list(this.#node(map).map).map(entry => this.#node(entry))
    this.#relations.announce(entries.map(entry => String(entry.key)))
    for (const { key, value } of entries) this.#commonTable(String(key), this.#node(value))
  }

  #commonTable(name: string, cte: Node): void {
    const body = this.#node(this.#node(cte.query).node)
    this.#relations.define(name, () => {
      if (body.type === 'RECURSIVE_CTE_NODE') this.#recursive(name, cte, body)
      else this.#fields(cte, PARTS.cte)
    })
  }

  #recursive(name: string, cte: Node, body: Node): void {
    const { left, right, cte_map: inner, ...rest } = body
    this.#fields({ ...cte, query: null }, PARTS.cte)
    this.#relations.nested(() => {
      this.#commonTables(inner)
      this.#query(this.#node(left))
      this.#relations.defineRecurring(name)
      this.#query(this.#node(right))
      this.#fields(rest, QUERIES.RECURSIVE_CTE_NODE)
    })
  }

  #table(node: Node): void {
    const type = String(node.type)
    if (type === 'SHOW_REF')
      throw this.refuse('one-select', 'DESCRIBE, SHOW and SUMMARIZE are no queries.', DESCRIBE)
    this.#fields(node, TABLES[type], 'kind of table', () => {
      if (type === 'BASE_TABLE') this.#relations.use(node)
      if (type === 'PIVOT' && pivotedColumns(node) > MAX_PIVOTED)
        throw this.refuse('complexity', `This PIVOT makes more than ${MAX_PIVOTED} columns.`, SPLIT)
    })
  }

  #tableFunction(node: Node): void {
    this.#relations.count()
    this.#fields(node, EXPRESSIONS.FUNCTION, 'table function', () => checkTableFunction(this, node))
  }

  #modifiers(value: unknown): void {
    const shapes: Readonly<Record<string, NodeShape>> = PARTS
    for (const entry of this.#list(value)) {
      const node = this.#node(entry)
      const type = String(node.type)
      this.#fields(node, type.endsWith('_MODIFIER') ? shapes[type] : undefined)
    }
  }

  #expression(node: Node): void {
    const kind = String(node.class)
    const check = () => {
      this.#tally.enterExpression(kind)
      if (kind === 'PARAMETER') this.parameters.read(this, node)
      if (kind === 'FUNCTION' || kind === 'WINDOW') checkCall(this, node)
      if (kind === 'OPERATOR' && node.type === 'ARRAY_SLICE') checkSlice(this, node)
      if (kind === 'COLUMN_REF') checkColumn(this, node)
      if (kind === 'STAR') checkColumnsPattern(this, node)
      if (kind === 'TYPE') checkTypeName(this, String(node.type_name))
    }
    const after = kind === 'WINDOW' ? () => checkWindow(this, node) : undefined
    this.#fields(node, EXPRESSIONS[kind], 'expression', check, after)
    this.#tally.leaveExpression(kind)
  }

  #sample(node: Node): void {
    if (node.seed === -1) this.markVolatile()
    this.#fields(node, PARTS.sample, 'sample', () => checkSample(this, node))
  }

  #type(node: Node): void {
    const info = node.type_info == null ? null : this.#node(node.type_info)
    if (node.id === 'UNBOUND' && info?.type === 'UNBOUND_TYPE_INFO') this.#expression(this.#node(info.expr))
    else checkTypeName(this, String(node.id))
    if (info?.child_type) this.#type(this.#node(info.child_type))
  }

  #node(value: unknown): Node {
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Node
    throw this.#unreadable()
  }

  #list(value: unknown): readonly unknown[] {
    if (Array.isArray(value)) return value
    throw this.#unreadable()
  }

  #unreadable(): Refusal {
    return this.refuse('construct', 'The statement could not be read.')
  }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/
const HINT = 'Write $name, and send its value in the field parameters.'

/** The parameters of a statement. */
class NamedParameters {
  /** By what the engine, which ignores case, takes for the same name. */
  readonly #names = new Map<string, string>()
  /** PIVOTs whose values are being read. */
  #pivots = 0

  /** Their names, as each is written first. */
  get names(): string[] {
    return [...this.#names.values()]
  }

  read(reader: NodeReader, { identifier }: Node): void {
    const name = String(identifier)
    if (/^\d+$/.test(name))
      throw reader.refuse('construct', 'Parameters have names, not numbers.', { hint: HINT })
    if (!NAME.test(name))
      throw reader.refuse('construct', 'The name of a parameter is one to 63 letters, digits and _.', {
        hint: HINT,
      })
    if (this.#pivots > 0)
      throw reader.refuse('construct', 'The values of a PIVOT must be literals.', {
        name: clip(name),
        hint: 'Write them out, or aggregate with FILTER (WHERE column = $value).',
      })
    if (!this.#names.has(lowerAscii(name))) this.#names.set(lowerAscii(name), name)
  }

  /** The engine makes columns of the values of a PIVOT when it binds, and the bounds on their number count literals. */
  inPivot(read: () => void): void {
    this.#pivots += 1
    read()
    this.#pivots -= 1
  }
}
