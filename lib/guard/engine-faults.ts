/**
 * Forms of SQL that the reviewed version of the engine answers wrongly whatever its settings, see docs/answers.md. The guard
 * refuses them, and the check of a catalogue tells folds that have them.
 */
export interface EngineFault {
  name: string
  message: string
  hint: string
  /** Byte offset in the SQL. */
  offset?: number
}

/** A node of the engine's parser. */
export type Node = Readonly<Record<string, unknown>>

/** The query around a node. */
interface Around {
  /** What the SELECT around it selects, by its names. */
  selected: ReadonlyMap<string, Node>
  /** Names of WITH, and in how many expressions that are subqueries each is defined. */
  common: ReadonlyMap<string, number>
  /** How many expressions that are subqueries it is in. */
  depth: number
  /** Whether of its value only matters whether it is true: for it, NULL is as good as false. */
  isDecided: boolean
  /** Whether it is the SELECT itself, and not a part of it. */
  isTop: boolean
  /** Whether it is a column of a SELECT, and not a part of one. */
  isColumn: boolean
}

type FaultMessage = Omit<EngineFault, 'offset'>

/** Fields whose condition holds or does not. */
const CONDITIONS = new Set([
  'where_clause',
  'having',
  'qualify',
  'condition',
  'filter',
  'filter_expr',
  'when_expr',
])

/** The first such form in the trees of the statements of a text, each below `node`; null when there is none. */
export function faultIn(statements: unknown): EngineFault | null {
  const around = {
    selected: new Map(),
    common: new Map(),
    depth: 0,
    isDecided: false,
    isTop: true,
    isColumn: false,
  }
  for (const each of listOf(statements)) {
    const found = visit(each.node, around)
    if (found) return found
  }
  return null
}

function visit(value: unknown, around: Around): EngineFault | null {
  if (Array.isArray(value)) {
    for (const each of value) {
      const found = visit(each, around)
      if (found) return found
    }
    return null
  }
  if (!isNode(value)) return null
  const inside = within(value, around)
  const told = faultOf(value, inside)
  if (told) {
    const { query_location: offset } = value
    return typeof offset === 'number' && Number.isSafeInteger(offset) ? { ...told, offset } : told
  }
  for (const [key, child] of Object.entries(value)) {
    const isDecided = CONDITIONS.has(key) || (value.class === 'CONJUNCTION' && around.isDecided)
    const isColumn = key === 'select_list'
    const found = visit(child, { ...inside, isDecided, isTop: false, isColumn })
    if (found) return found
  }
  return null
}

/** The query around the parts of a node. */
function within(node: Node, around: Around): Around {
  const depth = around.depth + (node.class === 'SUBQUERY' ? 1 : 0)
  const selected = Array.isArray(node.select_list)
    ? new Map(
        listOf(node.select_list).flatMap(each =>
          each.alias ? [[lowerCased(each.alias), each] as const] : [],
        ),
      )
    : around.selected
  const names = isNode(node.cte_map) ? listOf(node.cte_map.map).map(({ key }) => lowerCased(key)) : []
  const common =
    names.length > 0
      ? new Map([...around.common, ...names.map(name => [name, depth] as const)])
      : around.common
  return { ...around, depth, selected, common }
}

function faultOf(node: Node, around: Around): FaultMessage | null {
  if (around.isColumn && node.alias === '' && hasUnpacked(node)) return UNPACKED
  if (node.class === 'WINDOW') return faultOfOrder(node) ?? faultOfPartitions(node, around)
  if (node.class === 'SUBQUERY') return faultOfRows(node, around)
  if (node.type === 'BASE_TABLE') return faultOfCommonTable(node, around)
  if (node.type === 'JOIN') return faultOfAsOf(node)
  return node.type === 'SELECT_NODE' ? faultOfDistinct(node, around) : null
}

/**
 * A window with neither ORDER BY nor PARTITION BY is streamed. Over some plans, such as one of EXISTS, a call that reads
 * rows that follow then repeats rows of the result, and first_value does not look at its frame.
 */
function faultOfOrder({ type, partitions, orders, offset_expr, start }: Node): FaultMessage | null {
  if (listOf(partitions).length > 0 || listOf(orders).length > 0) return null
  const rows = isNode(offset_expr) ? literalOf(offset_expr) : 1
  const isWrong =
    (type === 'WINDOW_LEAD' && (rows === null || rows > 0)) ||
    (type === 'WINDOW_LAG' && (rows === null || rows < 0)) ||
    (type === 'WINDOW_FIRST_VALUE' && start !== 'UNBOUNDED_PRECEDING')
  if (!isWrong) return null
  const name = String(type).replace('WINDOW_', '').toLowerCase()
  return {
    name,
    message: 'Without an order, no row of a window follows another, or is the first.',
    hint: `Write the order into the window: ${name}(…) OVER (ORDER BY …).`,
  }
}

/** A whole number that is written as such; null for anything else. */
function literalOf({ value }: Node): number | null {
  return isNode(value) && typeof value.value === 'number' ? value.value : null
}

/** Beside a window that is partitioned by one expression twice, another one of the SELECT is taken for the same. */
function faultOfPartitions({ partitions, function_name }: Node, { selected }: Around): FaultMessage | null {
  /** Expressions by what they are but for the relations before columns. */
  const seen = new Map<string, Node[]>()
  for (const each of listOf(partitions)) {
    const forms = [each, selected.get(nameOf(each) ?? '')]
      .filter(isNode)
      .map(form => (isFixed(form) ? FIXED : form))
    const keys = forms.map(form => [keyOf(form), form] as const)
    for (const [key, form] of keys)
      if (isAmong(form, seen.get(key) ?? []))
        return {
          name: lowerCased(function_name),
          message: 'The window is partitioned by the same expression twice, or by two values that are fixed.',
          hint: 'Name each expression of PARTITION BY once.',
        }
    for (const [key, form] of keys) seen.set(key, [...(seen.get(key) ?? []), form])
  }
  return null
}

/** Stands for every literal and parameter: two of them may have one value. */
const FIXED: Node = { class: 'CONSTANT' }

function isFixed({ class: kind, child }: Node): boolean {
  return kind === 'CONSTANT' || kind === 'PARAMETER' || (kind === 'CAST' && isNode(child) && isFixed(child))
}

/** Columns of one name that are compared with each other, each of another relation: more would take long. */
const MOST_COMPARED = 16

/** Whether an expression is one of the others, or these are too many to tell. */
function isAmong(expression: Node, others: readonly Node[]): boolean {
  return others.length >= MOST_COMPARED || others.some(other => isSame(expression, other))
}

/** The name of a column that is written alone. */
function nameOf({ class: kind, column_names: names }: Node): string | undefined {
  return kind === 'COLUMN_REF' && (names as unknown[]).length === 1
    ? lowerCased((names as unknown[])[0])
    : undefined
}

function keyOf(expression: Node): string {
  return JSON.stringify(expression, (key, value: unknown) => {
    if (key === 'query_location' || key === 'alias') return undefined
    if (key === 'value' && isNode(value)) return { ...value, value: value.value } // the value may be watched, see watchNumbers
    return key === 'column_names' ? [lowerCased((value as unknown[]).at(-1))] : value
  })
}

/** Whether two expressions of one key are written alike: a column without its relation may be that of any. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) return one.every((each, at) => isSame(each, (other as unknown[])[at]))
  if (!isNode(one)) return true
  if (one.class !== 'COLUMN_REF') return Object.keys(one).every(key => isSame(one[key], (other as Node)[key]))
  const [names, others] = [one, other as Node].map(each =>
    (each.column_names as unknown[]).map(lowerCased).reverse(),
  )
  return (names ?? []).every((name, at) => at >= (others ?? []).length || name === others?.[at])
}

/**
 * For a NULL in the subquery of `(a, b) IN (SELECT …)`, the value is NULL for rows that differ in another column, so that
 * NOT IN leaves them out.
 */
function faultOfRows({ child, subquery_type }: Node, { isDecided }: Around): FaultMessage | null {
  if (isDecided || subquery_type !== 'ANY' || !isNode(child)) return null
  if (child.class !== 'FUNCTION' || child.function_name !== 'row') return null
  return {
    name: 'NOT IN',
    message: 'Several values are compared with the rows of a subquery only in a condition, by IN.',
    hint: 'Write NOT EXISTS (SELECT 1 FROM … WHERE x = a AND y = b), or EXISTS.',
  }
}

/** Where a CTE in a subquery reads columns of the query around it, a subquery in that one gets those of the wrong row. */
function faultOfCommonTable({ table_name }: Node, { common, depth }: Around): FaultMessage | null {
  const name = lowerCased(table_name)
  const definedIn = common.get(name) ?? 0
  if (definedIn === 0 || depth <= definedIn) return null
  return {
    name,
    message: 'A subquery within a subquery does not read the WITH of the outer one.',
    hint: 'Write WITH at the beginning of the statement, or the query in both places.',
  }
}

const ORDERED = /^COMPARE_(LESS|GREATER)THAN/

/**
 * With an equality, an ASOF join finds partners for rows whose value is NULL, unless its condition says that none is; and
 * NULL is not found for NULL.
 */
function faultOfAsOf({ ref_type, condition, using_columns }: Node): FaultMessage | null {
  if (ref_type !== 'ASOF') return null
  const parts = isNode(condition) ? partsOf(condition) : []
  const ofType = (type: RegExp) => parts.filter(part => type.test(String(part.type)))
  if (ofType(/DISTINCT_FROM$/).length > 0)
    return {
      name: 'IS DISTINCT FROM',
      message: 'The condition of an ASOF JOIN compares with = and one of >=, >, <= and <.',
      hint: "Write =, or compare values without NULL: coalesce(a, '') = coalesce(b, '').",
    }
  const isAlone = ofType(/^COMPARE_EQUAL$/).length === 0 && (using_columns as unknown[]).length < 2
  const checked = new Map<string, Node[]>()
  for (const { children } of ofType(/^OPERATOR_IS_NOT_NULL$/)) {
    const [value = {}] = listOf(children)
    const alike = checked.get(keyOf(value)) ?? []
    if (alike.length < MOST_COMPARED) checked.set(keyOf(value), [...alike, value])
  }
  const isChecked = (each: Node) => (checked.get(keyOf(each)) ?? []).some(other => isSame(each, other))
  const compared = ofType(ORDERED).flatMap(({ left, right }) => [left, right].filter(isNode))
  const isSound = compared.length > 0 && compared.every(isChecked)
  if (isAlone || isSound) return null
  return {
    name: 'ASOF JOIN',
    message:
      'An ASOF JOIN with an equality says in its condition that neither value of its inequality is NULL.',
    hint: 'Write ON a.key = b.key AND a.at >= b.at AND a.at IS NOT NULL AND b.at IS NOT NULL.',
  }
}

/**
 * A column that is made with *COLUMNS(…) and has no name is named after its arguments, as the engine names them: by the
 * database of their relation, which is another one for other rows.
 */
const UNPACKED: FaultMessage = {
  name: '*COLUMNS',
  message: 'A column that is made with *COLUMNS has a name.',
  hint: 'Write AS and its name: coalesce(*COLUMNS(*)) AS value.',
}

/** The parts of a condition that must all hold. */
function partsOf(condition: Node): Node[] {
  return condition.type === 'CONJUNCTION_AND' ? listOf(condition.children).flatMap(partsOf) : [condition]
}

/**
 * DISTINCT looks at the first field alone of a struct that it unnests. A list is told from a struct by the number of
 * columns, which the engine has for the outermost SELECT.
 */
function faultOfDistinct({ modifiers, select_list: selected }: Node, { isTop }: Around): FaultMessage | null {
  if (!listOf(modifiers).some(({ type }) => type === 'DISTINCT_MODIFIER') || !hasUnnest(selected)) return null
  return isTop && listOf(selected).every(each => each.class !== 'STAR') ? null : DISTINCT_UNNEST
}

/** The message about DISTINCT over a struct that is unnested. */
export const DISTINCT_UNNEST: FaultMessage = {
  name: 'unnest',
  message:
    'DISTINCT and unnest stand in one SELECT only where it is the outermost one, and unnest makes one column.',
  hint: 'Put unnest into a subquery: SELECT DISTINCT * FROM (SELECT unnest(…) …).',
}

/** How many columns the outermost SELECT has if it is DISTINCT and unnests lists; null for any other statement. */
export function unnestedColumns(statements: unknown): number | null {
  const [node] = listOf(statements).map(each => each.node)
  if (!isNode(node) || !Array.isArray(node.select_list)) return null
  const isDistinct = listOf(node.modifiers).some(({ type }) => type === 'DISTINCT_MODIFIER')
  return isDistinct && hasUnnest(node.select_list) ? node.select_list.length : null
}

function hasUnnest(expression: unknown): boolean {
  return has(expression, each => each.class === 'FUNCTION' && lowerCased(each.function_name) === 'unnest')
}

function hasUnpacked(expression: unknown): boolean {
  return has(expression, ({ type }) => type === 'OPERATOR_UNPACK')
}

/** Whether a part of an expression, outside of subqueries, is such a node. */
function has(expression: unknown, isSuch: (node: Node) => boolean): boolean {
  if (Array.isArray(expression)) return expression.some(each => has(each, isSuch))
  if (!isNode(expression) || expression.class === 'SUBQUERY') return false
  return isSuch(expression) || Object.values(expression).some(each => has(each, isSuch))
}

function lowerCased(name: unknown): string {
  return String(name).toLowerCase()
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}
