import { isDate, isUint8Array } from 'node:util/types'
import { isPlain, kindOf, spellBytes, spellDate, spellJson, spellScalar, Unstorable } from './cells.js'

const MOST_BIGINT = 2n ** 63n - 1n
/** Parquet has no integers of 128 bits: the engine would write them as DOUBLE, and lose digits. */
const MOST_DECIMAL = 10n ** 38n - 1n

type ValueKind = 'VARCHAR' | 'BOOLEAN' | 'TIMESTAMPTZ' | 'BLOB' | 'JSON' | 'number'

const SPELLED: Readonly<Record<ValueKind, (value: never) => string>> = {
  VARCHAR: spellScalar,
  BOOLEAN: spellScalar,
  TIMESTAMPTZ: spellDate,
  BLOB: spellBytes,
  JSON: spellJson,
  number: spellScalar,
}

/** A column whose type follows from its values. */
export class InferredColumn {
  readonly name: string
  #kind: ValueKind | null = null
  /** Whether it has numbers that only a DOUBLE holds, bigints, and bigints that a BIGINT does not hold. */
  #hasDoubles = false
  #hasBigints = false
  #isHuge = false

  constructor(name: string) {
    this.name = name
  }

  /** Spells a value other than NULL as the engine reads it. */
  spell(value: unknown): string {
    const kind = kindOfColumn(value)
    this.#kind ??= kind
    if (kind !== this.#kind)
      throw new Unstorable(
        `is ${kindOf(value)}, and those before are of another kind: declare the type of the column`,
      )
    if (kind === 'number') this.#count(value as number | bigint)
    return SPELLED[kind](value as never)
  }

  /** Its type in SQL, as far as its values say. */
  get type(): string {
    if (this.#kind !== 'number') return this.#kind ?? 'VARCHAR'
    if (this.#hasDoubles) return 'DOUBLE'
    return this.#isHuge ? 'DECIMAL(38,0)' : 'BIGINT'
  }

  #count(value: number | bigint): void {
    if (typeof value === 'number') {
      if (!Number.isSafeInteger(value)) this.#hasDoubles = true
    } else {
      const size = value < 0n ? -value : value
      if (size > MOST_DECIMAL) throw new Unstorable('is a bigint of more than 38 digits: write it as text')
      this.#hasBigints = true
      this.#isHuge ||= size > MOST_BIGINT
    }
    if (this.#hasDoubles && this.#hasBigints)
      throw new Unstorable(
        `is a ${typeof value}, and the column has both bigints and other numbers: declare its type`,
      )
  }
}

function kindOfColumn(value: unknown): ValueKind {
  switch (typeof value) {
    case 'string':
      return 'VARCHAR'
    case 'boolean':
      return 'BOOLEAN'
    case 'number':
    case 'bigint':
      return 'number'
    case 'object':
      if (isDate(value)) return 'TIMESTAMPTZ'
      if (isUint8Array(value)) return 'BLOB'
      if (value !== null && (Array.isArray(value) || isPlain(value))) return 'JSON'
  }
  throw new Unstorable(`is ${kindOf(value)}: write it as text`)
}
