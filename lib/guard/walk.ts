import { nodesCopiedByAliases } from './aliases.js'
import { checkCall, checkColumn, checkTableFunction, checkTypeName } from './calls.js'
import * as limits from './limits.js'
import { nearest } from './nearest.js'
import { clip, type GuardRule, Refusal } from './refusal.js'
import { fold, Scope } from './scope.js'
import { EXPRESSIONS, type Field, PARTS, QUERIES, type Shape, TABLES } from './shapes.js'

/** A node of the parser's tree. */
export type Node = Readonly<Record<string, unknown>>

/** What a checked statement reads, and whether its rows may differ from run to run. */
export interface Findings {
  relations: Set<string>
  volatile: boolean
}

/** Reads one statement's tree from top to bottom; the first thing that is not allowed throws a {@link Refusal}. */
export class Walk {
  readonly findings: Findings = { relations: new Set(), volatile: false }
  readonly #catalogue: ReadonlySet<string>
  #scope = new Scope(null)
  #nodes = 0
  #depth = 0
  #lambdas = 0
  #subqueries = 0
  #references = 0
  #offset: number | undefined

  constructor(catalogue: ReadonlySet<string>) {
    this.#catalogue = catalogue
  }

  statement(statement: unknown): void {
    this.#fields(asNode(statement), PARTS.statement)
  }

  refuse(rule: GuardRule, message: string, more: { name?: string; hint?: string } = {}): Refusal {
    return new Refusal({ rule, message, ...more, ...(this.#offset === undefined ? {} : { offset: this.#offset }) })
  }

  markVolatile(): void {
    this.findings.volatile = true
  }

  /** Later refusals point at this node, if it says where it is. */
  #at(node: Node): void {
    const location = node.query_location
    if (typeof location === 'number' && location <= Number.MAX_SAFE_INTEGER) this.#offset = location
  }

  #enter(node: Node): () => void {
    const outer = this.#offset
    this.#at(node)
    if (++this.#nodes > limits.MAX_NODES) throw this.refuse('complexity', 'The statement has too many parts.', SPLIT)
    if (++this.#depth > limits.MAX_DEPTH) throw this.refuse('complexity', 'The statement is nested too deeply.', SPLIT)
    return () => {
      this.#offset = outer
      this.#depth -= 1
    }
  }

  #fields(node: Node, shape: Shape | undefined, what = 'construct', check?: () => void): void {
    const leave = this.#enter(node)
    if (!shape) throw this.refuse('construct', `This ${what} is not allowed in a query.`)
    check?.()
    for (const key of Object.keys(node)) {
      const field = Object.hasOwn(shape, key) ? shape[key] : undefined
      if (!field) throw this.refuse('construct', 'The statement holds a construct that queries may not use.')
      const value = node[key]
      if (value !== null && value !== undefined) this.#field(field, value, key)
    }
    leave()
  }

  #field(field: Field, value: unknown, key: string): void {
    const each = (item: Field) => {
      for (const entry of asList(value)) this.#field(item, entry, key)
    }
    const part = (shape: Shape) => {
      for (const entry of asList(value)) this.#fields(asNode(entry), shape)
    }
    switch (field) {
      case 'scalar':
        return this.#name(value)
      case 'empty':
        return this.#empty(value, key)
      case 'expression':
        return this.#expression(asNode(value))
      case 'expressions':
        return each('expression')
      case 'rows':
        return each('expressions')
      case 'query':
        return this.#query(asNode(value))
      case 'queries':
        return each('query')
      case 'statement':
        return this.#fields(asNode(value), PARTS.statement)
      case 'table':
        return this.#table(asNode(value))
      case 'call':
        return this.#tableFunction(asNode(value))
      case 'modifiers':
        return asList(value).forEach(entry => {
          this.#modifier(asNode(entry))
        })
      case 'ordering':
        return this.#fields(asNode(value), PARTS.ORDER_MODIFIER)
      case 'orders':
        return part(PARTS.order)
      case 'cases':
        return part(PARTS.case)
      case 'replacements':
        return part(PARTS.replacement)
      case 'pivots':
        return part(PARTS.pivot)
      case 'entries':
        return part(PARTS.entry)
      case 'ctes':
        return // read before the rest of its query, see #query
      case 'sample':
        if (asNode(value).seed === -1) this.markVolatile()
        return this.#fields(asNode(value), PARTS.sample)
      case 'type':
        return this.#type(asNode(value))
      case 'value':
        return this.#type(asNode(asNode(value).type))
    }
  }

  #name(value: unknown): void {
    if (typeof value === 'string' && value.length > limits.MAX_NAME_LENGTH)
      throw this.refuse('size', `A name is longer than ${limits.MAX_NAME_LENGTH} characters.`)
    if (Array.isArray(value)) for (const entry of value) this.#name(entry)
  }

  #empty(value: unknown, key: string): void {
    const isEmpty = value === '' || value === false || (Array.isArray(value) && value.length === 0)
    if (isEmpty) return
    if (key === 'named_param_map') throw this.refuse('construct', 'Parameters are not supported.', PARAMETERS)
    const written = Object.hasOwn(CONSTRUCTS, key) ? CONSTRUCTS[key] : undefined
    throw this.refuse('construct', `${written ?? 'A construct of this statement'} is not allowed in a query.`)
  }

  #query(node: Node): void {
    const outer = this.#scope
    this.#scope = new Scope(outer)
    this.#commonTables(node.cte_map)
    if (node.type === 'SELECT_NODE' && nodesCopiedByAliases(node, limits.MAX_ALIAS_NODES) > limits.MAX_ALIAS_NODES)
      throw this.refuse('complexity', 'Aliases that use aliases make this SELECT too large.', SPLIT)
    this.#fields(node, QUERIES[String(node.type)], 'kind of query')
    this.#scope = outer
  }

  #commonTables(map: unknown): void {
    const entries = asList(asNode(map).map).map(asNode)
    for (const entry of entries) this.#scope.announce(String(entry.key))
    for (const entry of entries) this.#commonTable(entry)
  }

  #commonTable(entry: Node): void {
    const name = String(entry.key)
    const body = asNode(asNode(asNode(entry.value).query).node)
    const before = this.#references
    if (body.type === 'RECURSIVE_CTE_NODE') this.#recursive(name, asNode(entry.value), body)
    else this.#fields(asNode(entry.value), PARTS.cte)
    this.#scope.define(name, this.#references - before + 1)
    this.#references = before
  }

  #recursive(name: string, cte: Node, body: Node): void {
    const { left, right, cte_map: inner, ...rest } = body
    const outer = this.#scope
    this.#fields({ ...cte, query: null }, PARTS.cte)
    this.#scope = new Scope(outer)
    this.#commonTables(inner)
    this.#query(asNode(left))
    this.#scope.define(name, 1, true)
    this.#query(asNode(right))
    this.#fields(rest, QUERIES.RECURSIVE_CTE_NODE)
    this.#scope = outer
  }

  #table(node: Node): void {
    const type = String(node.type)
    if (type === 'SHOW_REF') throw this.refuse('one-select', 'DESCRIBE, SHOW and SUMMARIZE are no queries.', DESCRIBE)
    if (type !== 'BASE_TABLE') return this.#fields(node, TABLES[type], 'kind of table')
    const name = String(node.table_name)
    const common = this.#scope.find(name)
    const recurring = common?.self === true && fold(String(node.schema_name)) === 'recurring'
    const written = recurring ? { ...node, schema_name: '' } : node
    this.#fields(written, TABLES.BASE_TABLE, 'kind of table', () => this.#unqualified(written, name))
    this.#references += common?.references ?? 1
    if (this.#references > limits.MAX_TABLE_REFERENCES)
      throw this.refuse('complexity', 'The statement names too many relations, those within its WITH included.', SPLIT)
    if (common) return
    if (!this.#catalogue.has(fold(name))) throw this.#unknownRelation(node, name)
    this.findings.relations.add(fold(name))
  }

  #unqualified(node: Node, name: string): void {
    const qualifier = [node.catalog_name, node.schema_name].filter(part => part !== '' && part != null).join('.')
    if (qualifier === '') return
    const known = this.#catalogue.has(fold(name)) || this.#scope.find(name)
    throw this.refuse('relation', 'Relations are written without a schema or a database.', {
      name: clip(`${qualifier}.${name}`),
      hint: known ? `Write "${clip(name)}" alone.` : RELATIONS,
    })
  }

  #unknownRelation(node: Node, name: string): Refusal {
    this.#at(node)
    const near = nearest(fold(name), [...this.#scope.names(), ...this.#catalogue])
    const early = this.#scope.announces(name) ? EARLY : null
    const hint = early ?? (near ? `Did you mean "${near}"?` : RELATIONS)
    return this.refuse('relation', `There is no relation "${clip(name)}" here.`, { name: clip(name), hint })
  }

  #tableFunction(node: Node): void {
    this.#references += 1
    this.#fields(node, EXPRESSIONS.FUNCTION, 'table function', () => checkTableFunction(this, node))
  }

  #modifier(node: Node): void {
    const shapes: Readonly<Record<string, Shape>> = PARTS
    const type = String(node.type)
    this.#fields(node, type.endsWith('_MODIFIER') ? shapes[type] : undefined)
  }

  #expression(node: Node): void {
    const kind = String(node.class)
    if (kind === 'PARAMETER') throw this.refuse('construct', 'Parameters are not supported.', PARAMETERS)
    const lambda = Number(kind === 'LAMBDA')
    const subquery = Number(kind === 'SUBQUERY')
    this.#lambdas += lambda
    this.#subqueries += subquery
    if (this.#lambdas > limits.MAX_LAMBDA_DEPTH)
      throw this.refuse('complexity', `Lambdas and -> are nested more than ${limits.MAX_LAMBDA_DEPTH} deep.`, ARROWS)
    if (this.#subqueries > limits.MAX_SUBQUERY_DEPTH)
      throw this.refuse('complexity', `Subqueries are nested more than ${limits.MAX_SUBQUERY_DEPTH} deep.`, SPLIT)
    this.#fields(node, EXPRESSIONS[kind], 'expression', () => {
      if (kind === 'FUNCTION' || kind === 'WINDOW') checkCall(this, node)
      if (kind === 'COLUMN_REF') checkColumn(this, node)
      if (kind === 'TYPE') checkTypeName(this, String(node.type_name))
    })
    this.#lambdas -= lambda
    this.#subqueries -= subquery
  }

  #type(node: Node): void {
    const info = node.type_info == null ? null : asNode(node.type_info)
    if (node.id === 'UNBOUND' && info?.type === 'UNBOUND_TYPE_INFO') return this.#expression(asNode(info.expr))
    checkTypeName(this, String(node.id))
    if (info?.child_type) this.#type(asNode(info.child_type))
  }
}

const SPLIT = { hint: 'Simplify the statement, or ask in several.' }
const ARROWS = { hint: "Use json_extract(value, '$.a.b') or name the steps in WITH." }
const PARAMETERS = { hint: 'Write the values into the statement.' }
const RELATIONS = 'projects/describe lists the relations of the catalogue.'
const EARLY =
  'A name of WITH is known to what comes after its definition; one that reads itself needs WITH RECURSIVE and UNION.'
/** What fields that must be empty stand for. */
const CONSTRUCTS: Readonly<Record<string, string>> = {
  at_clause: 'AT (VERSION or TIMESTAMP)',
  export_state: 'EXPORT_STATE',
  pivot_enum: 'A PIVOT without its values',
  catalog: 'A type with a database',
  schema: 'A type with a schema',
}
const DESCRIBE = { hint: 'projects/describe lists the relations and the columns of one.' }

function asNode(value: unknown): Node {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Node) : {}
}

function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Refusal({ rule: 'construct', message: 'The statement could not be read.' })
  return value
}
