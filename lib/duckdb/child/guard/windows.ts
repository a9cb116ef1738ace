import type { NodeReader, Refusal } from '../../../guard/refusal.js'
import { castTypeOf, numberOf, textOf } from './literals.js'
import { lowerAscii, type Node } from './shapes.js'

/**
 * Largest offset, count and frame bound in rows. Beyond about 2^63, the engine computes addresses that
 * overflow.
 */
const MOST_ROWS = 1_000_000_000

/** Functions that return a value of one row of the frame, which ends at the current row where it is not written. */
const OF_VALUES = new Set(['first', 'first_value', 'last', 'last_value', 'nth_value'])
const WHOLE = 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING'
const LITERAL = 'Write a whole number, such as 1.'
const FRAME_HINT = 'Write numbers or intervals of one unit that are not negative, the earlier bound first.'

/**
 * What a bound of a frame counts. Two bounds can be put in order only if they count the same: months have 28
 * to 31 days.
 */
type Measure = 'numbers' | 'seconds' | 'months'

/**
 * Units of intervals, to order the bounds of a frame; the functions that the parser makes of `INTERVAL 3
 * DAY`.
 */
const UNITS = new Map<string, { size: number; of: Measure }>([
  ['microsecond', { size: 1e-6, of: 'seconds' }],
  ['millisecond', { size: 1e-3, of: 'seconds' }],
  ['second', { size: 1, of: 'seconds' }],
  ['minute', { size: 60, of: 'seconds' }],
  ['hour', { size: 3_600, of: 'seconds' }],
  ['day', { size: 86_400, of: 'seconds' }],
  ['week', { size: 604_800, of: 'seconds' }],
  ['month', { size: 1, of: 'months' }],
  ['quarter', { size: 3, of: 'months' }],
  ['year', { size: 12, of: 'months' }],
  ['decade', { size: 120, of: 'months' }],
  ['century', { size: 1_200, of: 'months' }],
  ['millennium', { size: 12_000, of: 'months' }],
])
const PLURALS: Readonly<Record<string, string>> = { century: 'centuries', millennium: 'millennia' }
const UNIT_OF_CALL = new Map([...UNITS.keys()].map(unit => [`to_${PLURALS[unit] ?? `${unit}s`}`, unit]))

/**
 * Checks what the engine takes unvalidated in a call with OVER. With bounds that are NULL, negative, computed
 * or out of order, with an ORDER BY in the arguments of a function that is no aggregate, or with an extreme
 * offset, it reads memory that belongs to other rows, or ends.
 */
export function checkWindow(reader: NodeReader, node: Node): void {
  const name = lowerAscii(String(node.function_name))
  const children = node.children as readonly Node[]
  if (node.type !== 'WINDOW_AGGREGATE' && (node.arg_orders as readonly unknown[]).length > 0)
    throw reader.refuse('construct', `The arguments of ${name} take no ORDER BY.`, {
      name,
      hint: `Write the order into the window: ${name}(…) OVER (ORDER BY …${OF_VALUES.has(name) ? ` ${WHOLE}` : ''}).`,
    })
  if (node.offset_expr) checkRows(reader, name, 'offset', node.offset_expr as Node, -MOST_ROWS)
  if (name === 'ntile' && children[0]) checkRows(reader, name, 'number of groups', children[0], 1)
  if (name === 'nth_value' && children[1]) checkRows(reader, name, 'row number', children[1], 1)
  checkFrame(reader, name, node)
}

function checkRows(reader: NodeReader, name: string, what: string, node: Node, least: number): void {
  const value = numberOf(node)
  if (value !== null && Number.isInteger(value) && value >= least && value <= MOST_ROWS) return
  const range = least < 0 ? `between ${least} and ${MOST_ROWS}` : `from ${least} to ${MOST_ROWS}`
  throw reader.refuse('size', `The ${what} of ${name} must be a literal ${range}.`, { name, hint: LITERAL })
}

/** Checks that the bounds of a frame are literals, not negative, and in order. */
function checkFrame(reader: NodeReader, name: string, node: Node): void {
  const start = boundOf(reader, name, String(node.start), node.start_expr as Node | null)
  const end = boundOf(reader, name, String(node.end), node.end_expr as Node | null)
  const areOnOneSide =
    Math.sign(start.at) * Math.sign(end.at) > 0 && [start, end].every(({ at }) => Number.isFinite(at))
  if (areOnOneSide && start.of !== end.of)
    throw reader.refuse('construct', 'The bounds of the frame of this window count different units.', {
      name,
      hint: FRAME_HINT,
    })
  if (start.at > end.at)
    throw reader.refuse('construct', 'The frame of this window ends before it begins.', {
      name,
      hint: FRAME_HINT,
    })
}

/** Position of a bound relative to the current row. */
interface Bound {
  at: number
  of: Measure
}

function boundOf(reader: NodeReader, name: string, kind: string, written: Node | null): Bound {
  const isBefore = kind.includes('PRECEDING')
  if (kind.startsWith('UNBOUNDED'))
    return { at: isBefore ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY, of: 'numbers' }
  if (kind.startsWith('CURRENT')) return { at: 0, of: 'numbers' }
  const size = written && sizeOf(written)
  const most = kind.endsWith('RANGE') ? Number.MAX_VALUE : MOST_ROWS
  const isWhole = kind.endsWith('RANGE') || Number.isInteger(size?.at)
  if (!size || !isWhole || !(size.at >= 0 && size.at <= most)) throw refuseBound(reader, name)
  return { at: isBefore ? -size.at : size.at, of: size.of }
}

function refuseBound(reader: NodeReader, name: string): Refusal {
  const message = 'The bounds of the frame of a window must be literals that are not negative.'
  return reader.refuse('construct', message, { name, hint: FRAME_HINT })
}

/**
 * Size of a literal: a number, `INTERVAL 3 DAY`, `to_days(3)` or `INTERVAL '3 days'`; null for anything else.
 */
function sizeOf(node: Node): Bound | null {
  const unit =
    node.class === 'FUNCTION' ? UNIT_OF_CALL.get(lowerAscii(String(node.function_name))) : undefined
  if (unit !== undefined) {
    const count = withoutCasts((node.children as readonly Node[])[0])
    const digits = textOf(count)
    return sizeIn(unit, digits !== null && /^\d{1,9}$/.test(digits) ? Number(digits) : numberOf(count))
  }
  const text = node.class === 'CAST' && castTypeOf(node) === 'INTERVAL' ? textOf(node.child as Node) : null
  if (text === null) return sizeIn('', numberOf(node))
  const [, count = '', named = ''] = /^\s*(\d{1,9})\s+([a-z]+?)s?\s*$/i.exec(text) ?? []
  return UNITS.has(lowerAscii(named)) ? sizeIn(lowerAscii(named), Number(count)) : null
}

/** So many of a unit; without one, a number. */
function sizeIn(unit: string, count: number | null): Bound | null {
  const { size, of } = UNITS.get(unit) ?? { size: 1, of: 'numbers' }
  return count === null ? null : { at: count * size, of }
}

/** What the parser puts around the number of `INTERVAL 3 DAY`. */
function withoutCasts(node: Node | undefined): Node {
  if (node?.class === 'CAST') return withoutCasts(node.child as Node)
  if (node?.class === 'FUNCTION' && node.function_name === 'trunc')
    return withoutCasts((node.children as readonly Node[])[0])
  return node ?? {}
}

/** Checks the size of a sample: a literal already, which may be negative or more than all. */
export function checkSample(reader: NodeReader, sample: Node): void {
  const { value } = (sample.sample_size ?? {}) as Node
  const most = sample.is_percentage === true ? 100 : MOST_ROWS
  if (typeof value === 'number' && value >= 0 && value <= most) return
  throw reader.refuse(
    'size',
    `The size of a sample is between 0 and ${most}${most === 100 ? ' percent' : ' rows'}.`,
    {
      hint: 'Write TABLESAMPLE 10% or USING SAMPLE 100 ROWS.',
    },
  )
}
