import { insteadOfExtra } from '../../../guard/extras.js'
import {
  LONG_TYPES,
  REFUSED_COLUMNS,
  refusalReason,
  SESSION_COLUMNS,
  TABLE_FUNCTIONS,
  TYPES,
  tableRefusalReason,
  VOLATILE_COLUMNS,
  VOLATILE_FUNCTIONS,
} from '../../../guard/inventory.js'
import { clip, type GuardRule, type NodeReader, type Refusal } from '../../../guard/refusal.js'
import { nearest } from '../../../values/nearest.js'
import { checkPattern } from './patterns.js'
import { lowerAscii, type Node } from './shapes.js'
import { checkTyped } from './typed.js'

/**
 * Qualifiers that name the engine's own functions; any other qualifier is the column of `column.function()`.
 */
const OWN_SCHEMAS = new Set(['', 'main'])
const OWN_DATABASES = new Set(['system', 'temp', 'memory'])

/** Stands for the column of `column.function()`, which the parser puts into the field for the schema. */
const RECEIVER = { class: 'COLUMN_REF' }

/**
 * Checks a function call in an expression: its name must be reviewed, and its pattern must not hang the
 * engine.
 */
export function checkCall(reader: NodeReader, node: Node): void {
  const name = lowerAscii(String(node.function_name))
  const schema = lowerAscii(String(node.schema ?? ''))
  const database = lowerAscii(String(node.catalog ?? ''))
  if (!reader.functions.has(name)) throw refuseFunction(reader, name)
  if (OWN_DATABASES.has(schema) || OWN_DATABASES.has(database))
    throw reader.refuse('function', 'Functions are called without a schema or a database.', {
      name: clip(name),
      hint: `Write ${clip(name)}(…).`,
    })
  if (VOLATILE_FUNCTIONS.has(name)) reader.markVolatile()
  const written = Array.isArray(node.children) ? (node.children as unknown[]) : []
  const dotted = database !== '' || !OWN_SCHEMAS.has(schema)
  if (dotted && node.class === 'WINDOW')
    throw reader.refuse('construct', 'A window function is not called with a dot.', {
      name: clip(name),
      hint: `Write ${clip(name)}(column) OVER (…).`,
    })
  const args = dotted ? [RECEIVER, ...written] : written
  checkPattern(reader, name, args)
  checkTyped(reader, name, args)
  // Of an argument that is always a NULL list, the engine reads the members.
  const orders = (node.order_bys as Node | null | undefined)?.orders
  if (name === 'mode' && args.length > 0 && Array.isArray(orders) && orders.length > 0)
    throw reader.refuse('construct', 'The argument of mode takes no ORDER BY.', {
      name,
      hint: 'Write mode(value), or mode() WITHIN GROUP (ORDER BY value).',
    })
}

/** Checks a table function in FROM. */
export function checkTableFunction(reader: NodeReader, call: Node): void {
  const name = lowerAscii(String(call.function_name))
  const qualified =
    !OWN_SCHEMAS.has(lowerAscii(String(call.schema ?? ''))) || String(call.catalog ?? '') !== ''
  if (TABLE_FUNCTIONS.has(name) && !qualified) return
  const reason = TABLE_FUNCTIONS.has(name) ? 'names are written alone' : tableRefusalReason(name)
  const message = reason
    ? `The table function "${clip(name)}" is not available: ${reason}.`
    : `There is no table function "${clip(name)}" that queries may call.`
  const near = reason ? null : nearest(name, TABLE_FUNCTIONS)
  throw reader.refuse('function', message, {
    name: clip(name),
    hint: near
      ? `Did you mean "${near}"?`
      : `FROM takes relations of the catalogue, subqueries and ${[...TABLE_FUNCTIONS].join(', ')}.`,
  })
}

/** Checks a column reference: the engine turns some bare names into function calls. */
export function checkColumn(reader: NodeReader, node: Node): void {
  const names = node.column_names
  if (Array.isArray(names) && names.length === 1) checkBareName(reader, String(names[0]), 'function')
}

/** Checks a column that a PIVOT groups by: a bare name, which the engine may read as a call of a function. */
export function checkGroup(reader: NodeReader, name: string): void {
  if (SESSION_COLUMNS.has(lowerAscii(name)))
    throw reader.refuse(
      'construct',
      `A PIVOT does not group by "${lowerAscii(name)}": the engine takes it for a function.`,
      {
        name: lowerAscii(name),
        hint: 'Rename the column in a subquery, and group by its new name.',
      },
    )
  checkBareName(reader, name, 'construct')
}

function checkBareName(reader: NodeReader, written: string, rule: GuardRule): void {
  const name = lowerAscii(written)
  if (REFUSED_COLUMNS.has(name))
    throw reader.refuse(rule, `The name "${name}" is not available: ${refusalReason(name)}.`, {
      name,
      hint: 'A column of yours that is called so needs its table before it: t.column.',
    })
  if (VOLATILE_COLUMNS.has(name)) reader.markVolatile()
}

/** Checks the name of a type in a cast. */
export function checkTypeName(reader: NodeReader, written: string): void {
  const name = lowerAscii(written)
  if (TYPES.has(name) || LONG_TYPES.has(name)) return
  const near = nearest(name, TYPES)
  const hint = near
    ? `Did you mean ${near.toUpperCase()}?`
    : 'Types are those of plain SQL: VARCHAR, DOUBLE, DATE, …'
  throw reader.refuse('type', `The type "${clip(written)}" is not available.`, { name: clip(written), hint })
}

function refuseFunction(reader: NodeReader, called: string): Refusal {
  const name = called.replace(/__postfix$/, '') // which the parser adds to operators that follow their value
  // The parser reads the backticks of `name` as a prefix and a postfix operator, which are calls in the tree.
  if (name.includes('`'))
    return reader.refuse('syntax', 'Backticks do not quote names.', { hint: 'Use double quotes: "name".' })
  const extra = insteadOfExtra(name)
  const reason = extra ? 'this service leaves it out' : refusalReason(name)
  const instead = extra ?? insteadOf(name)
  const near = reason || instead ? null : nearest(name, reader.functions)
  const message = reason
    ? `The function "${clip(name)}" is not available: ${reason}.`
    : `There is no function "${clip(name)}" that queries may call.`
  const fallback = reason ? 'Leave the call out.' : 'Look for the function of DuckDB that does it.'
  return reader.refuse('function', message, {
    name: clip(name),
    hint: instead ?? (near ? `Did you mean "${near}"?` : fallback),
  })
}

const SUBSTITUTES: readonly { names: string; hint: string }[] = [
  {
    names: 'from_json from_json_strict json_transform json_transform_strict json_merge_patch',
    hint: "Read the parts, one by one: json_extract(value, '$.path'), json_extract_string or value->>'$.path'.",
  },
  {
    names: 'json_structure json_group_structure',
    hint: 'Use json_keys(value) and json_type(value), which tell one level.',
  },
  {
    names: 'fill',
    hint: 'Use last_value(value IGNORE NULLS) OVER (ORDER BY …), which repeats the value before.',
  },
  { names: 'array_where list_where', hint: 'Use list_filter(list, lambda x, i: mask[i]).' },
  {
    names: 'array_select list_select',
    hint: 'Use list_transform(places, lambda i: list[i]), which has NULLs for a NULL list.',
  },
  { names: 'enum_range_boundary', hint: "Write the values as a list: ['low', 'high']." },
  { names: 'struct_keys', hint: 'Use json_keys(to_json(value)).' },
  {
    names: 'json_contains',
    hint: "Use list_contains(json_extract_string(value, '$[*]'), text), which looks at one level.",
  },
  {
    names: 'list_aggr list_aggregate array_aggr array_aggregate aggregate',
    hint: 'Call the list aggregate by its own name, for instance list_sum or list_max.',
  },
  {
    names: 'reservoir_quantile',
    hint: 'Use quantile_cont(value, 0.5), quantile_disc or approx_quantile, which draw no sample.',
  },
  { names: 'query query_table', hint: 'Name the relation in FROM.' },
  {
    names: 'soundex similarity',
    hint: 'Use jaro_winkler_similarity(a, b) or levenshtein(a, b), which are other measures.',
  },
  { names: 'average', hint: 'Use avg(value).' },
  { names: 'nvl isnull zeroifnull', hint: 'Use coalesce(value, other).' },
  { names: 'iif iff', hint: 'Use CASE WHEN … THEN … ELSE … END.' },
  {
    names: 'convert to_number to_decimal tochar',
    hint: 'Use CAST(value AS type), or TRY_CAST where a value may not fit.',
  },
  { names: 'safe_divide', hint: 'Use a / nullif(b, 0).' },
  { names: 'to_char date_format format_date datename', hint: "Use strftime(value, '%Y-%m-%d')." },
  {
    names: 'to_date str_to_date parse_date parse_timestamp',
    hint: "Use strptime(text, '%Y-%m-%d'), or CAST(text AS DATE).",
  },
  {
    names: 'dateadd adddate date_add_days add_months timestampadd',
    hint: 'Use + INTERVAL 1 DAY, MONTH, YEAR ….',
  },
  { names: 'timestampdiff', hint: "Use date_diff('day', a, b)." },
  { names: 'datefromparts', hint: 'Use make_date(year, month, day).' },
  { names: 'eomonth', hint: 'Use last_day(date).' },
  { names: 'getdate sysdate curdate getutcdate', hint: 'Use now() or today().' },
  { names: 'charindex locate', hint: 'Use strpos(text, part).' },
  { names: 'initcap', hint: 'Use upper(text[1]) || lower(text[2:]), which changes the first word alone.' },
  { names: 'substring_index', hint: "Use split_part(text, ',', 1), which returns one part." },
  { names: 'regexp_like rlike', hint: 'Use regexp_matches(text, pattern).' },
  { names: 'regexp_substr', hint: 'Use regexp_extract(text, pattern).' },
  { names: 'regexp_count', hint: 'Use len(regexp_extract_all(text, pattern)).' },
  { names: 'stdev', hint: 'Use stddev(value).' },
  { names: 'var', hint: 'Use var_samp(value) or var_pop(value).' },
  { names: 'percentile', hint: 'Use quantile_cont(value, 0.5).' },
  { names: 'explode', hint: 'Use unnest(list).' },
  { names: 'generate_array', hint: 'Use range(…) or generate_series(…) in FROM.' },
  { names: 'json_extract_scalar get_json_object', hint: "Use json_extract_string(value, '$.path')." },
  { names: 'rand', hint: 'Use random().' },
  { names: 'truncate', hint: 'Use trunc(value).' },
]

const BY_NAME = new Map(
  SUBSTITUTES.flatMap(({ names, hint }) => names.split(' ').map(name => [name, hint] as const)),
)

/** Hint for a function that is refused or that only other databases have; null when there is none. */
export function insteadOf(name: string): string | null {
  return BY_NAME.get(name) ?? null
}
