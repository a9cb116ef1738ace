/**
 * The nodes that the parser's tree may contain: the fields of each kind, and what each field contains. A kind
 * or field that is not listed is refused, so an unreviewed construct cannot pass.
 */

import type { Node } from '../../../guard/engine-faults.js'

export type { Node }

/**
 * What a field contains. `scalar`: names, flags or numbers, checked only for length; `names`: the same,
 * nested; `columns`: bare names that the engine reads as column references; `parameters`: those of the whole
 * statement, which the expressions name, too; `empty`: nothing, or the
 * construct is refused.
 */
export type FieldKind =
  | 'scalar'
  | 'names'
  | 'parameters'
  | 'columns'
  | 'empty'
  | 'expression'
  | 'expressions'
  | 'rows'
  | 'query'
  | 'queries'
  | 'statement'
  | 'table'
  | 'modifiers'
  | 'orders'
  | 'ordering'
  | 'type'
  | 'entries'
  | 'value'
  | 'values'
  | 'ctes'
  | 'cases'
  | 'replacements'
  | 'pivots'
  | 'sample'
  | 'call'

export type NodeShape = Readonly<Record<string, FieldKind>>

const QUERY = { type: 'scalar', modifiers: 'modifiers', cte_map: 'ctes' } as const
const TABLE = { type: 'scalar', alias: 'scalar', sample: 'sample', query_location: 'scalar' } as const
const EXPRESSION = { class: 'scalar', type: 'scalar', alias: 'scalar', query_location: 'scalar' } as const
const CALL = {
  function_name: 'scalar',
  schema: 'scalar',
  catalog: 'scalar',
  children: 'expressions',
} as const

/** Query nodes by `type`. */
export const QUERIES: Readonly<Record<string, NodeShape>> = {
  SELECT_NODE: {
    ...QUERY,
    select_list: 'expressions',
    from_table: 'table',
    where_clause: 'expression',
    group_expressions: 'expressions',
    group_sets: 'scalar',
    aggregate_handling: 'scalar',
    having: 'expression',
    sample: 'sample',
    qualify: 'expression',
  },
  SET_OPERATION_NODE: {
    ...QUERY,
    setop_type: 'scalar',
    setop_all: 'scalar',
    left: 'query',
    right: 'query',
    children: 'queries',
  },
  RECURSIVE_CTE_NODE: {
    ...QUERY,
    cte_name: 'scalar',
    union_all: 'scalar',
    left: 'query',
    right: 'query',
    aliases: 'scalar',
    key_targets: 'expressions',
  },
}

/** Table references by `type`. */
export const TABLES: Readonly<Record<string, NodeShape>> = {
  BASE_TABLE: {
    ...TABLE,
    schema_name: 'scalar',
    catalog_name: 'scalar',
    table_name: 'scalar',
    column_name_alias: 'scalar',
    at_clause: 'empty',
  },
  JOIN: {
    ...TABLE,
    left: 'table',
    right: 'table',
    condition: 'expression',
    join_type: 'scalar',
    ref_type: 'scalar',
    using_columns: 'scalar',
    delim_flipped: 'scalar',
    duplicate_eliminated_columns: 'expressions',
    is_implicit: 'scalar',
  },
  SUBQUERY: { ...TABLE, subquery: 'statement', column_name_alias: 'scalar' },
  TABLE_FUNCTION: { ...TABLE, function: 'call', column_name_alias: 'scalar', with_ordinality: 'scalar' },
  EMPTY: TABLE,
  EXPRESSION_LIST: { ...TABLE, expected_names: 'scalar', expected_types: 'empty', values: 'rows' },
  PIVOT: {
    ...TABLE,
    source: 'table',
    aggregates: 'expressions',
    unpivot_names: 'scalar',
    pivots: 'pivots',
    groups: 'columns',
    column_name_alias: 'scalar',
    include_nulls: 'scalar',
  },
}

/** Expressions by `class`. */
export const EXPRESSIONS: Readonly<Record<string, NodeShape>> = {
  BETWEEN: { ...EXPRESSION, input: 'expression', lower: 'expression', upper: 'expression' },
  CASE: { ...EXPRESSION, case_checks: 'cases', else_expr: 'expression' },
  CAST: { ...EXPRESSION, child: 'expression', cast_type: 'type', try_cast: 'scalar' },
  COLLATE: { ...EXPRESSION, child: 'expression', collation: 'scalar' },
  COLUMN_REF: { ...EXPRESSION, column_names: 'scalar' },
  COMPARISON: { ...EXPRESSION, left: 'expression', right: 'expression' },
  CONJUNCTION: { ...EXPRESSION, children: 'expressions' },
  CONSTANT: { ...EXPRESSION, value: 'value' },
  FUNCTION: {
    ...EXPRESSION,
    ...CALL,
    filter: 'expression',
    order_bys: 'ordering',
    distinct: 'scalar',
    is_operator: 'scalar',
    export_state: 'empty',
  },
  LAMBDA: { ...EXPRESSION, lhs: 'expression', expr: 'expression', syntax_type: 'scalar' },
  OPERATOR: { ...EXPRESSION, children: 'expressions' },
  PARAMETER: { ...EXPRESSION, identifier: 'scalar' },
  POSITIONAL_REFERENCE: { ...EXPRESSION, index: 'scalar' },
  STAR: {
    ...EXPRESSION,
    relation_name: 'scalar',
    exclude_list: 'scalar',
    qualified_exclude_list: 'names',
    rename_list: 'names',
    replace_list: 'replacements',
    columns: 'scalar',
    expr: 'expression',
  },
  SUBQUERY: {
    ...EXPRESSION,
    subquery_type: 'scalar',
    subquery: 'statement',
    child: 'expression',
    comparison_type: 'scalar',
  },
  TYPE: { ...EXPRESSION, catalog: 'empty', schema: 'empty', type_name: 'scalar', children: 'expressions' },
  WINDOW: {
    ...EXPRESSION,
    ...CALL,
    partitions: 'expressions',
    orders: 'orders',
    start: 'scalar',
    end: 'scalar',
    start_expr: 'expression',
    end_expr: 'expression',
    offset_expr: 'expression',
    default_expr: 'expression',
    ignore_nulls: 'scalar',
    filter_expr: 'expression',
    exclude_clause: 'scalar',
    distinct: 'scalar',
    arg_orders: 'orders',
  },
}

/** Parts of nodes that are not nodes themselves. */
export const PARTS = {
  statement: { node: 'query', named_param_map: 'parameters' },
  cte: { aliases: 'scalar', query: 'statement', materialized: 'scalar', key_targets: 'expressions' },
  case: { when_expr: 'expression', then_expr: 'expression' },
  replacement: { key: 'scalar', value: 'expression' },
  pivot: {
    pivot_expressions: 'expressions',
    unpivot_names: 'scalar',
    entries: 'entries',
    pivot_enum: 'empty',
  },
  entry: { values: 'values', star_expr: 'expression', alias: 'scalar' },
  sample: { sample_size: 'value', is_percentage: 'scalar', method: 'scalar', seed: 'scalar' },
  order: { type: 'scalar', null_order: 'scalar', expression: 'expression' },
  ORDER_MODIFIER: { type: 'scalar', orders: 'orders' },
  LIMIT_MODIFIER: { type: 'scalar', limit: 'expression', offset: 'expression' },
  LIMIT_PERCENT_MODIFIER: { type: 'scalar', limit: 'expression', offset: 'expression' },
  DISTINCT_MODIFIER: { type: 'scalar', distinct_on_targets: 'expressions' },
} as const satisfies Record<string, NodeShape>

/**
 * Lower-cases A to Z only, as the engine folds names: full Unicode folding would let a look-alike match a
 * name.
 */
export function lowerAscii(name: string): string {
  return name.replace(/[A-Z]/g, letter => letter.toLowerCase())
}
