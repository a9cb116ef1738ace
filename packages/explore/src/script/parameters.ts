import type { ParameterValue } from 'foldgate/client'
import { folded, lexemesOf } from './sql.js'

/** The value of a parameter as it was typed. */
export interface Typed {
  /** The SQL type that was chosen; absent where the text decides. */
  type?: string
  /** Null for NULL. */
  value: string | null
}

/** What links, saved queries, the history and this tab keep of parameters: each by its name in lower case. */
export type Kept = Readonly<Record<string, Typed>>

/** A statement with the values of its parameters. */
export interface EditedStatement {
  sql: string
  parameters: Kept
}

/** A parameter that a named query declares. */
export interface Declared {
  name: string
  about: string
  /** Its SQL type. */
  type: string
  /** The values that are allowed; absent where all of the type are. */
  values?: readonly unknown[]
  /** What holds where no value is sent; absent where one has to be. */
  default?: unknown
}

/** Types that a value may have, the usual ones first; a list of each is offered, too. */
export const PARAMETER_TYPES: readonly string[] = [
  'VARCHAR',
  'BIGINT',
  'DOUBLE',
  'DECIMAL(18,3)',
  'DECIMAL(38,10)',
  'BOOLEAN',
  'DATE',
  'TIMESTAMP',
  'TIMESTAMP WITH TIME ZONE',
  'TIME',
  'INTERVAL',
  'UUID',
  'INTEGER',
  'SMALLINT',
  'TINYINT',
  'HUGEINT',
  'UBIGINT',
  'UINTEGER',
  'USMALLINT',
  'UTINYINT',
  'UHUGEINT',
  'FLOAT',
  'TIME WITH TIME ZONE',
  'TIME_NS',
  'TIMESTAMP_S',
  'TIMESTAMP_MS',
  'TIMESTAMP_NS',
  'BLOB',
  'BIT',
]

const NAME = /^[a-z_][a-z0-9_]{0,62}$/
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n]

/** The parameters of a statement, each once, as it is first written. */
export function parametersIn(sql: string): string[] {
  const names = new Map<string, string>()
  for (const { kind, text } of lexemesOf(sql)) {
    const name = text.slice(1)
    if (kind === 'parameter' && !names.has(folded(name))) names.set(folded(name), name)
  }
  return [...names.values()]
}

/** The type that a text has where no type is chosen: the type that the service gives to such a value in JSON. */
export function guessedType(text: string): 'BOOLEAN' | 'BIGINT' | 'DOUBLE' | 'VARCHAR' {
  if (text === 'true' || text === 'false') return 'BOOLEAN'
  if (!NUMBER.test(text) || !Number.isFinite(Number(text))) return 'VARCHAR'
  if (!/^-?\d+$/.test(text)) return 'DOUBLE'
  return BigInt(text) >= LEAST && BigInt(text) <= MOST ? 'BIGINT' : 'DOUBLE'
}

/**
 * The value that is sent for a typed text, none where no text is typed; or what is wrong with it, in words for its
 * field. The service says which values are missing, since a key may have values of its own.
 */
export function sentFor({ type, value }: Typed): { sent?: ParameterValue } | { problem: string } {
  if (value === null) return { sent: type === undefined ? null : { type, value } }
  if (value === '' && type !== 'VARCHAR') return {}
  if (type === undefined) return { sent: untyped(value) }
  if (!type.endsWith('[]')) return { sent: { type, value: scalarOf(value, type) } }
  if (!value.trim().startsWith('[')) {
    const items = value.split(',').map(item => scalarOf(item.trim(), type.replace(/\[\]$/, '')))
    return { sent: { type, value: items } }
  }
  try {
    return { sent: { type, value: JSON.parse(value) as unknown } }
  } catch {
    return { problem: 'Write the list as one, two, or as JSON: ["one", "two"].' }
  }
}

function untyped(text: string): ParameterValue {
  const type = guessedType(text)
  if (type === 'BOOLEAN') return text === 'true'
  if (type === 'VARCHAR') return text
  const number = Number(text)
  // As a number of JSON, 1.0 would be a BIGINT, and a large BIGINT would lose digits.
  if (type === 'DOUBLE') return Number.isInteger(number) ? { type, value: number } : number
  return Number.isSafeInteger(number) ? number : { type, value: text }
}

/**
 * A text as rows have values of a type. The rest stays text: the service reads digits of whole numbers and of
 * DECIMAL from strings, and says what is wrong with all others.
 */
function scalarOf(text: string, type: string): boolean | number | string {
  if (type === 'VARCHAR') return text
  const bare = text.trim()
  if (type === 'BOOLEAN' && /^(?:true|false)$/i.test(bare)) return bare.toLowerCase() === 'true'
  return (type === 'DOUBLE' || type === 'FLOAT') && NUMBER.test(bare) ? Number(bare) : bare
}

/** The values that a text of a link or of this browser holds; no values if this page has not written the text. */
export function readKept(text: string | null): Kept {
  try {
    const kept: unknown = JSON.parse(text ?? '{}')
    return isKept(kept) ? kept : {}
  } catch {
    return {}
  }
}

/** Whether a value has names with what was typed. */
export function isKept(kept: unknown): kept is Kept {
  if (typeof kept !== 'object' || kept === null || Array.isArray(kept)) return false
  return Object.entries(kept).every(([name, typed]) => {
    const { type, value } = (typed ?? {}) as Partial<Typed>
    const isTyped = value === null || typeof value === 'string'
    return NAME.test(name) && isTyped && (type === undefined || typeof type === 'string')
  })
}
