import type { Claim, KnownRelation, Operand } from '../../../engine/claim.js'
import { textOf } from './literals.js'
import { Multiplicity } from './multiplicity.js'
import { addedBy, at, bare, isNumber, operandOf } from './operands.js'
import { groupsOf, has, limitOf, modifiersOf, orderedBy, outputOf } from './query-parts.js'
import { lowerAscii, type Node } from './shapes.js'
import { type BaseColumn, type Source, type SourceColumn, Sources, sourceOf } from './sources.js'

/** Most claims of a statement that are told. */
const MOST_CLAIMS = 64
/** Longer lists and more aggregates are not looked at: verdicts are kept, and a check has a deadline. */
const [MOST_OPERANDS, MOST_AGGREGATES] = [100, 32]

/** A SELECT while it is read. */
interface Scope {
  sources: Sources
  tables: Tables
  joins: Multiplicity
  /** Aggregates of the SELECT itself, and not of its subqueries. */
  aggregates: Node[]
}

/** What a query yields, as others read it. */
interface Output {
  columns: Source['columns']
  /** The column of the catalogue that it selects alone, of all rows; null for another query. */
  whole: BaseColumn | null
}

type Tables = ReadonlyMap<string, Source['columns']>

const UNKNOWN: Output = { columns: null, whole: null }
const keyOf = ({ relation, column }: BaseColumn) => `${relation.name}.${column}`

/**
 * Reads what a statement does that may be wrong for what its relations hold. The walk has accepted the tree. Where it is not
 * certain which column a name means, or what a subquery does to rows, nothing is claimed.
 */
export function claimsOf(statement: unknown, relations: ReadonlyMap<string, KnownRelation>): Claim[] {
  const reader = new ClaimReader(relations)
  reader.query((statement as Node).node as Node, null, new Map(), true)
  return reader.claims.slice(0, MOST_CLAIMS)
}

class ClaimReader {
  readonly claims: Claim[] = []
  readonly #relations: ReadonlyMap<string, KnownRelation>

  constructor(relations: ReadonlyMap<string, KnownRelation>) {
    this.#relations = relations
  }

  /** Reads a query. `isRead`: whether its rows are looked at, and not only whether there are any. */
  query(node: Node, outer: Sources | null, known: Tables, isRead: boolean): Output {
    const tables = new Map(known)
    if (node.type === 'RECURSIVE_CTE_NODE') tables.set(lowerAscii(String(node.cte_name)), null)
    for (const { key, value } of ((node.cte_map as Node).map ?? []) as Node[]) {
      const { columns } = this.query(((value as Node).query as Node).node as Node, outer, tables, true)
      tables.set(lowerAscii(String(key)), columns)
    }
    if (node.type === 'SELECT_NODE') return this.#select(node, outer, tables, isRead)
    for (const part of [node.left, node.right, ...((node.children ?? []) as unknown[])])
      if (part && typeof part === 'object') this.query(part as Node, outer, tables, isRead)
    return UNKNOWN
  }

  #select(node: Node, outer: Sources | null, tables: Tables, isRead: boolean): Output {
    const scope: Scope = {
      ...{ sources: new Sources(outer), tables, aggregates: [] },
      joins: new Multiplicity(),
    }
    const { sources, joins } = scope
    if (node.from_table) this.#from(node.from_table as Node, scope)
    if (node.where_clause) this.#condition(node.where_clause as Node, scope)
    const list = (node.select_list ?? []) as Node[]
    for (const part of [list, node.group_expressions, node.having, node.qualify]) this.#visit(part, scope)
    const orders = this.#ordered(node, scope, list)
    const groups = groupsOf(node, list).map(expression => sources.own(expression))
    for (const column of groups) if (column) joins.fix(column)
    for (const aggregate of scope.aggregates.slice(0, MOST_AGGREGATES)) this.#aggregate(aggregate, scope)
    const isGrouped = groups.length > 0 || scope.aggregates.length > 0
    const isPlain = !isGrouped && !node.where_clause && !node.qualify && !has(node, 'DISTINCT_MODIFIER')
    const [only] = sources.all
    const base = sources.all.length === 1 ? (only?.base ?? null) : null
    const isKey = (name: string) =>
      only !== undefined && joins.isFixed({ source: only, name: lowerAscii(name) })
    const isOneRow = base !== null && base.unique.length > 0 && base.unique.every(isKey)
    if (isRead && !isOneRow && (groups.length > 0 || scope.aggregates.length === 0))
      this.#limited(node, { isPlain, base, groups }, list)
    if (isPlain) this.#ties(node, base, orders)
    const isWhole = isPlain && base !== null && !node.having && !has(node, 'LIMIT_MODIFIER')
    return { columns: outputOf(list, sources), whole: isWhole ? sources.find(list[0]) : null }
  }

  #from(table: Node, scope: Scope): void {
    const { sources, joins, tables } = scope
    const add = (source: Source) => {
      sources.all.push(source)
      joins.add(source)
    }
    const name = lowerAscii(String(table.alias || table.table_name || ''))
    if (table.type === 'BASE_TABLE') {
      const own = lowerAscii(String(table.table_name))
      const relation = tables.has(own) ? undefined : this.#relations.get(own)
      const isRenamed = Array.isArray(table.column_name_alias) && table.column_name_alias.length > 0
      const columns = isRenamed ? null : (tables.get(own) ?? null)
      add(relation ? sourceOf(relation, table) : { name, base: null, columns })
    } else if (table.type === 'SUBQUERY') {
      const { columns } = this.query((table.subquery as Node).node as Node, sources, tables, true)
      const isRenamed = Array.isArray(table.column_name_alias) && table.column_name_alias.length > 0
      add({ name, base: null, columns: isRenamed ? null : columns })
    } else if (table.type === 'JOIN') this.#join(table, scope)
    else if (table.type !== 'EMPTY') add({ name, base: null, columns: null })
  }

  #join(table: Node, scope: Scope): void {
    const { sources, joins } = scope
    this.#from(table.left as Node, scope)
    const before = sources.all.length
    this.#from(table.right as Node, scope)
    if (!['INNER', 'LEFT', 'RIGHT', 'OUTER'].includes(String(table.join_type))) joins.isUnclear = true
    if (!['REGULAR', 'CROSS'].includes(String(table.ref_type))) joins.isUnclear = true
    for (const each of (table.using_columns ?? []) as string[]) {
      const column = lowerAscii(each)
      const having = sources.all.filter(({ columns }) => columns === null || columns.has(column))
      const isRight = (source: Source) => sources.all.indexOf(source) >= before
      const [left, right] = [having.find(source => !isRight(source)), having.find(isRight)]
      if (left && right) joins.equate(this.#columnOf(left, column), this.#columnOf(right, column))
      else joins.isUnclear = true
    }
    if (table.condition) this.#condition(table.condition as Node, scope)
  }

  #columnOf(source: Source, name: string): SourceColumn {
    const base = source.columns?.get(name) ?? (source.base && { relation: source.base, column: name })
    return { source, name, base: base ?? null }
  }

  /** Reads a condition that all rows meet. */
  #condition(node: Node, scope: Scope): void {
    const { sources, joins } = scope
    for (const part of node.type === 'CONJUNCTION_AND' ? (node.children as Node[]) : [node]) {
      joins.meet(part, sources)
      this.#visit(part, scope, true)
    }
  }

  /** Reads an expression and all that it consists of. `isMet`: all rows meet it. */
  #visit(value: unknown, scope: Scope, isMet = false): void {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const part of value) this.#visit(part, scope)
      return
    }
    const node = value as Node
    // The names of a lambda hide columns.
    if (node.class === 'CONSTANT' || node.class === 'LAMBDA') return
    if (node.class === 'SUBQUERY') {
      this.#subquery(node, scope)
      return
    }
    if (node.type === 'CONJUNCTION_OR' && this.#alternatives(node, scope, isMet)) return
    if (node.type === 'OPERATOR_NOT' && this.#notIn((node.children as Node[])[0] as Node, scope)) return
    if (node.class === 'COMPARISON') this.#comparison(node, scope, isMet)
    if (node.class === 'BETWEEN') this.#between(node, scope, isMet)
    if (node.type === 'COMPARE_IN' || node.type === 'COMPARE_NOT_IN') this.#list(node, scope, isMet)
    if (node.class === 'FUNCTION') this.#call(node, scope)
    // Values of a window are added over frames, of which nothing is claimed.
    for (const part of Object.values(node)) this.#visit(part, scope)
  }

  #subquery(node: Node, scope: Scope): Output {
    this.#visit(node.child, scope)
    const isRead = node.subquery_type === 'SCALAR'
    return this.query((node.subquery as Node).node as Node, scope.sources, scope.tables, isRead)
  }

  /** What NOT stands before: IN with a subquery; false for anything else. */
  #notIn(node: Node, scope: Scope): boolean {
    if (node.class !== 'SUBQUERY' || node.subquery_type !== 'ANY') return false
    const { whole } = this.#subquery(node, scope)
    if (whole && node.comparison_type === 'COMPARE_EQUAL') this.#claim('null', whole, node)
    return true
  }

  #comparison(node: Node, { sources }: Scope, isMet: boolean): void {
    const [left, right] = [node.left as Node, node.right as Node]
    const [column, operand] = [sources.find(left), operandOf(right)]
    if (column && operand) this.#compared(column, COMPARISONS[String(node.type)], operand, node, isMet)
    const [other, first] = [sources.find(right), operandOf(left)]
    if (other && first) this.#compared(other, FLIPPED[String(node.type)], first, node, isMet)
  }

  #compared(
    column: BaseColumn,
    operator: Comparison | undefined,
    operand: Operand,
    node: Node,
    isMet: boolean,
  ): void {
    if (operator === undefined) return
    // Months and years are taken for a few days more than they may have.
    if ((operand.daysAgo ?? 0) > 7 && operator !== '>' && operator !== '>=') return
    const isBare = /^TIMESTAMP/.test(column.type ?? '') && /^\d{4}-\d\d-\d\d$/.test(operand.text ?? '')
    if (isBare && (operator === '<=' || operator === '='))
      this.#claim('midnight', column, node, { operands: [operand] })
    if (operator === '=') this.#claim(isMet ? 'equals' : 'compares', column, node, { operands: [operand] })
    else if (operator === '<>') this.#claim('differs', column, node, { operands: [operand] })
    else if (column.relation.ordered.includes(column.column)) this.#claim('order', column, node, { operator })
    else if (isMet) this.#claim('bound', column, node, { operator, operands: [operand] })
  }

  #between({ input, lower, upper, ...node }: Node, { sources }: Scope, isMet: boolean): void {
    const column = sources.find(input as Node)
    const [from, to] = [operandOf(lower as Node), operandOf(upper as Node)]
    if (column && from) this.#compared(column, '>=', from, node, isMet)
    if (column && to) this.#compared(column, '<=', to, node, isMet)
  }

  #list({ children, ...node }: Node, { sources }: Scope, isMet: boolean): void {
    const [first, ...rest] = children as Node[]
    if (rest.length > MOST_OPERANDS) return
    const [column, operands] = [sources.find(first), rest.map(operandOf)]
    const known = operands.filter(operand => operand !== null)
    const kind = node.type === 'COMPARE_NOT_IN' ? 'differs' : isMet ? 'equals' : 'compares'
    if (column && known.length === operands.length) this.#claim(kind, column, node, { operands: known })
  }

  /** Alternatives of one column, which are a list; false for others. */
  #alternatives({ children, ...node }: Node, { sources }: Scope, isMet: boolean): boolean {
    if ((children as Node[]).length > MOST_OPERANDS) return false
    const each = (children as Node[]).map(({ type, left, right }) => {
      const column = type === 'COMPARE_EQUAL' ? sources.find(left as Node) : null
      const operand = column && operandOf(right as Node)
      return operand ? { column, operand } : null
    })
    const [first] = each
    if (!first || each.some(other => !other || keyOf(other.column) !== keyOf(first.column))) return false
    const operands = each.map(found => found?.operand as Operand)
    this.#claim(isMet ? 'equals' : 'compares', first.column, node, { operands })
    return true
  }

  #call(node: Node, scope: Scope): void {
    const name = lowerAscii(String(node.function_name))
    const [first, second] = node.children as (Node | undefined)[]
    if (name === '~~' && first && second) {
      const [column, text] = [scope.sources.find(first), textOf(second)]
      if (column && text !== null && !/[%_\\]/.test(text))
        this.#claim('compares', column, node, { operands: [operandOf(second) as Operand] })
    }
    if (name === '*' && first?.function_name === '/' && second) {
      const [by, times] = [(first.children as Node[])[1] as Node, second].map(operandOf)
      if (isNumber(by) && isNumber(times)) this.#claim('division', null, first, { operands: [by, times] })
    }
    if (AGGREGATES.has(name)) scope.aggregates.push(node)
  }

  #aggregate(node: Node, { sources, joins: outer }: Scope): void {
    const name = lowerAscii(String(node.function_name))
    const joins = outer.where(node.filter as Node | null, sources)
    const [argument] = node.children as (Node | undefined)[]
    const plain = sources.find(argument)
    if (argument && plain && MEDIANS.has(name) && /^DECIMAL/.test(plain.type ?? ''))
      this.#claim('median', plain, argument)
    const column = argument && sources.own(bare(argument))
    if (column?.base) this.#added(name, column, column.base, node, joins)
    if (node.distinct === true || joins.isUnclear) return
    if (ADDING.has(name)) {
      const of = addedBy(argument).map(each => sources.own(each))
      const found =
        of.every(each => each?.source.base) && joins.multiplies(of.map(each => (each as SourceColumn).source))
      const base = of[0]?.base
      if (found && base) this.#claim('join', base, node, { other: found })
    }
    if (COUNTING.has(name)) {
      const pair = joins.withoutGrain()
      if (pair) this.claims.push({ kind: 'join', relation: pair[0], other: pair[1], ...at(node) })
    }
  }

  /** An aggregate of a column alone, which may have a unit, an order or a dimension over which it is not added. */
  #added(name: string, column: SourceColumn, base: BaseColumn, node: Node, joins: Multiplicity): void {
    const { relation, column: own } = base
    if (name === 'min' || name === 'max') {
      if (relation.ordered.includes(own)) this.#claim('order', base, node, { other: name })
      return
    }
    if (!column.source.base || joins.isUnclear) return
    const isFixed = (other: string) => joins.isFixed({ source: column.source, name: lowerAscii(other) })
    const unit = Object.hasOwn(relation.units, own) ? relation.units[own] : undefined
    const named = joins.namedOf(column.source)
    if (unit !== undefined && !COUNTING.has(name) && !isFixed(unit) && named)
      this.#claim('unit', base, node, { other: unit, ...named })
    const over = Object.hasOwn(relation.additive, own) ? relation.additive[own] : undefined
    if (!over || name !== 'sum') return
    const left = relation.unique.filter(each => !over.includes(each) && !isFixed(each))
    const isWrong = relation.unique.length > 0 ? left.length > 0 : over.length === 0
    if (isWrong) this.#claim('additive', base, node, { columns: left })
  }

  /** The columns by which rows are ordered; null for other expressions. */
  #ordered(node: Node, scope: Scope, list: readonly Node[]): (BaseColumn | null)[] {
    const orders = modifiersOf(node, 'ORDER_MODIFIER').flatMap(({ orders: each }) => each as Node[])
    return orders.map(({ expression }, index) => {
      this.#visit(expression, scope)
      const column = scope.sources.find(orderedBy(expression as Node, list, this.#isAnyOrdered))
      // After others, it orders no more than what a reader looks through.
      const isMain = index === 0 || has(node, 'LIMIT_MODIFIER')
      if (isMain && column?.relation.ordered.includes(column.column))
        this.#claim('order', column, expression as Node)
      return column
    })
  }

  get #isAnyOrdered(): boolean {
    return [...this.#relations.values()].some(({ ordered }) => ordered.length > 0)
  }

  #limited(node: Node, { isPlain, base, groups }: Limited, list: readonly Node[]): void {
    const limit = limitOf(node)
    const isPreview = (isPlain && list.every(each => each.class === 'STAR')) || (!base && groups.length === 0)
    if (!limit || isPreview || !node.from_table || has(node, 'ORDER_MODIFIER')) return
    if ((node.from_table as Node).type === 'EMPTY') return
    const names = groups.flatMap(column =>
      base && column?.base?.relation === base ? column.base.column : [],
    )
    const columns = groups.length > 0 && names.length === groups.length ? { columns: names } : {}
    const relation =
      base && (groups.length === 0 || columns.columns) ? { relation: base.name, ...columns } : {}
    this.claims.push({ kind: 'limit', ...relation, operands: [operandOf(limit) ?? {}], ...at(limit) })
  }

  #ties(node: Node, base: KnownRelation | null, orders: readonly (BaseColumn | null)[]): void {
    const limit = limitOf(node)
    if (!base || orders.length === 0 || !limit) return
    if (orders.some(column => column?.relation !== base)) return
    const columns = orders.map(column => (column as BaseColumn).column)
    const [first] = modifiersOf(node, 'ORDER_MODIFIER').flatMap(each => each.orders as Node[])
    const operands = [operandOf(limit) ?? {}]
    this.claims.push({
      kind: 'ties',
      relation: base.name,
      columns,
      operands,
      ...at((first as Node).expression as Node),
    })
  }

  #claim(kind: Claim['kind'], column: BaseColumn | null, node: Node, more: Partial<Claim> = {}): void {
    const of = column ? { relation: column.relation.name, column: column.column } : {}
    this.claims.push({ kind, ...of, ...at(node), ...more })
  }
}

/** A query with a LIMIT: its only relation, and the columns by which it groups. */
interface Limited {
  isPlain: boolean
  base: KnownRelation | null
  groups: readonly (SourceColumn | null)[]
}

/** Aggregates that add, those that count, and others of which something is claimed. */
const ADDING = new Set(['sum', 'avg', 'mean'])
const COUNTING = new Set(['count', 'count_star'])
const MEDIANS = new Set(['median', 'quantile_cont'])
const AGGREGATES = new Set([...ADDING, ...COUNTING, ...MEDIANS, 'min', 'max'])

type Comparison = NonNullable<Claim['operator']> | '=' | '<>'

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  COMPARE_EQUAL: '=',
  COMPARE_NOTEQUAL: '<>',
  COMPARE_DISTINCT_FROM: '<>',
  COMPARE_NOT_DISTINCT_FROM: '=',
  COMPARE_LESSTHAN: '<',
  COMPARE_LESSTHANOREQUALTO: '<=',
  COMPARE_GREATERTHAN: '>',
  COMPARE_GREATERTHANOREQUALTO: '>=',
}
const FLIPPED: typeof COMPARISONS = {
  ...COMPARISONS,
  COMPARE_LESSTHAN: '>',
  COMPARE_LESSTHANOREQUALTO: '>=',
  COMPARE_GREATERTHAN: '<',
  COMPARE_GREATERTHANOREQUALTO: '<=',
}
