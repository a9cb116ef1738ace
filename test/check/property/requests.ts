import fc from 'fast-check'
import { ENTITIES, FOREIGN_PROJECT, OTHER_PROJECT, PROJECT } from '../../service/service.js'

/** A call of a well-behaved client. */
export interface Request {
  method: string
  params: Record<string, unknown>
}

/** Statements: only a few, so that most answers come from caches. */
const STATEMENTS = [
  'SELECT 1 AS one',
  'SELECT i FROM range(9) t(i) ORDER BY i',
  'SELECT item, amount FROM amounts ORDER BY amount DESC, item;',
  'FROM fold_totals ORDER BY item',
  'SELECT nope FROM amounts',
  'SELECT 1; SELECT 2',
  'DROP TABLE amounts',
  "SELECT * FROM read_csv('/etc/passwd')",
  '',
]

const projectId = fc.constantFrom(PROJECT, OTHER_PROJECT, FOREIGN_PROJECT, PROJECT.toUpperCase())
const limit = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 500 }) }, fc.integer())
const page = fc.record({ limit, cursor: fc.constantFrom(null, '', 'bm90aGluZw.AAAA') }, { requiredKeys: [] })
const statement = fc.record(
  {
    projectId,
    sql: fc.constantFrom(...STATEMENTS),
    entityId: fc.constantFrom(null, ENTITIES.joint, ENTITIES.leaf.toUpperCase(), PROJECT),
    ownershipView: fc.constantFrom('net', 'gross'),
  },
  { requiredKeys: ['projectId', 'sql'] },
)
const relation = fc.constantFrom(null, 'amounts', 'fold_totals', 'fold_total', '')

/** Calls that any client may send. */
export const request: fc.Arbitrary<Request> = fc.oneof(
  fc.record({ method: fc.constant('projects/list'), params: fc.record({ page }, { requiredKeys: [] }) }),
  fc.record({
    method: fc.constant('projects/describe'),
    params: fc.record({ projectId, relation }, { requiredKeys: ['projectId'] }),
  }),
  fc.record({
    method: fc.constant('projects/query'),
    params: fc.tuple(statement, fc.option(page)).map(([rest, of]) => (of ? { ...rest, page: of } : rest)),
  }),
  // Most export statements fail, so that few files are written: these tests are about messages.
  fc.record({
    method: fc.constant('projects/export'),
    params: statement.map(rest => ({ ...rest, sql: rest.sql.replace(/^(FROM|SELECT (1|i|item)).*/s, 'SELECT nope') })),
  }),
)

/** Names with a meaning in JavaScript or in the API, and random ones. */
const nameOf = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'valueOf', 'toJSON', 'length', 'then', '', 'page', 'limit'),
  fc.string({ maxLength: 8, unit: 'binary' }),
)
const scalar = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 0.5, 501, 1e308, '', '0', 'net', PROJECT, '\ud800', '\u0000', 'x'.repeat(3000)),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'binary' }),
)

/** Any JSON value. */
export const json: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    { weight: 6, arbitrary: scalar },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(nameOf, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    fc.constantFrom(1000, 20_000).map(depth => new Nested(depth)),
  ),
})).value

/** Nested lists, deeper than most code can traverse. They are only ever written as JSON. */
class Nested {
  readonly depth: number

  constructor(depth: number) {
    this.depth = depth
  }
}

/** Writes a generated value as JSON. */
export function write(value: unknown): string {
  if (value instanceof Nested) return '['.repeat(value.depth) + ']'.repeat(value.depth)
  if (Array.isArray(value)) return `[${value.map(write).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`)
    .join()}}`
}

/** One change of a structure: a value is replaced, removed or added. */
interface Change {
  /** The path to the place: one number per level, modulo the number of members there. */
  where: number[]
  what: { put: unknown } | { drop: true } | { add: [name: string, value: unknown] }
}

const change: fc.Arbitrary<Change> = fc.record({
  where: fc.array(fc.nat(20), { maxLength: 3 }),
  what: fc.oneof(
    fc.record({ put: json }),
    fc.constant({ drop: true as const }),
    fc.record({ add: fc.tuple(nameOf, json) }),
  ),
})

/** A value with 1 to 3 changes. */
export function changed(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(value, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([original, changes]) => changes.reduce<unknown>((at, one) => apply(at, one.where, one.what), original))
}

function apply(value: unknown, [first, ...rest]: number[], what: Change['what']): unknown {
  const isOpen = value !== null && typeof value === 'object' && !(value instanceof Nested)
  if (first === undefined || !isOpen) {
    if ('put' in what) return what.put
    return 'add' in what && isOpen ? withMember(value, ...what.add) : value
  }
  const names = Object.keys(value)
  const name = names[first % Math.max(1, names.length)]
  if (name === undefined) return value
  if (rest.length === 0 && 'drop' in what) {
    const kept = Object.entries(value).filter(([other]) => other !== name)
    return Array.isArray(value) ? kept.map(([, member]) => member) : Object.fromEntries(kept)
  }
  return withMember(value, name, apply((value as Record<string, unknown>)[name], rest, what))
}

/** Object.fromEntries creates own members even for names such as `__proto__`. */
function withMember(value: object, name: string, member: unknown): unknown {
  if (Array.isArray(value)) return [...value, member]
  return Object.fromEntries([...Object.entries(value).filter(([other]) => other !== name), [name, member]])
}

/** A string with up to 5 characters replaced at one place. */
export function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', '\u0000', '1', 'null'),
    fc.string(),
  )
  return fc.tuple(text, fc.nat(), fc.nat(5), piece).map(([original, at, length, instead]) => {
    const start = at % (original.length + 1)
    return original.slice(0, start) + instead + original.slice(start + length)
  })
}
