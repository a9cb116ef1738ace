import { type Catalogue, POINT_OF_VIEW } from '../catalogue/catalogue.js'
import type { Claim, Operand } from '../engine/claim.js'
import type { Engine, PointOfView, RelationStatistics, Statement } from '../engine/port.js'
import { locate } from '../guard/refusal.js'
import type { Hint } from '../model.js'
import type { Caller, Clock } from '../ports.js'
import { compareValues, isNumeric } from '../snapshots/statistics.js'
import { nearest } from '../values/nearest.js'
import { identifier, literal } from '../values/quote.js'

/** Most hints of a result, and most values that one names. */
const [MOST_HINTS, MOST_NAMED] = [20, 10]
const DAY_MS = 86_400_000

/** What hints are made of. */
interface Asked {
  catalogue: Catalogue
  clock: Clock
  engine: Engine
  point: PointOfView
  statement: Statement
}

/** The hints on a statement that has run, or was bound, if its call asks for them. */
export async function hintsIn(
  { include }: { include?: readonly string[] | undefined },
  { catalogue, clock, caller }: Pick<Asked, 'catalogue' | 'clock'> & { caller: Caller },
  { engine, point, statement }: Pick<Asked, 'engine' | 'point' | 'statement'>,
): Promise<{ hints?: Hint[] }> {
  if (!include?.includes('hints')) return {}
  // Values that a key sets are none of the caller's.
  if (statement.named !== undefined && caller.only?.parameters) return { hints: [] }
  return { hints: await hintsOf({ catalogue, clock, engine, point, statement }) }
}

/**
 * The hints on a statement, by the values that its relations hold. A statement with a name has hints on the values of the
 * caller alone, since its SQL is not the caller's.
 */
async function hintsOf(asked: Asked): Promise<Hint[]> {
  const { engine, point, statement } = asked
  const { claims = [], relations, named } = statement
  const known = (await engine.statistics?.(point, relations)) ?? []
  const statistics = new Map(relations.map((name, at) => [name, known[at] ?? null]))
  const reader = new HintReader(asked, statistics)
  // What a process tells is no reason to name what the statement does not read.
  const read = claims.filter(({ kind, relation, other }) => {
    const names = [relation, kind === 'join' ? other : undefined].filter(name => name !== undefined)
    return names.every(name => relations.includes(name))
  })
  const isOwn = ({ operands = [] }: Claim) => operands.length > 0 && operands.every(isOfCaller)
  const own = named === undefined ? read : read.filter(isOwn)
  const hints = own.flatMap(claim => reader.hint(claim) ?? [])
  if (isUnmoved(asked)) hints.push({ kind: 'view', message: UNMOVED })
  return distinct(named === undefined ? hints : hints.map(withoutPlace)).slice(0, MOST_HINTS)
}

const UNMOVED =
  'entityId changes nothing here: the statement reads tables alone, which are as stored whatever the point of view. ' +
  'Read a fold, or leave entityId out.'

const isOfCaller = ({ parameter }: Operand) => parameter !== undefined
const withoutPlace = ({ at: _, instead: __, ...hint }: Hint): Hint => hint

/** Whether a statement whose caller has chosen an entity reads nothing that depends on it. */
function isUnmoved({ catalogue, point, statement: { relations } }: Asked): boolean {
  const depends = (name: string): boolean => {
    const relation = catalogue.relations.get(name)
    return name === POINT_OF_VIEW || (relation?.kind === 'fold' && relation.reads.some(depends))
  }
  return point.entityId !== null && relations.length > 0 && !relations.some(depends)
}

function distinct(hints: readonly Hint[]): Hint[] {
  return [...new Map(hints.map(hint => [JSON.stringify(hint), hint])).values()]
}

/** A value that a column is compared with. */
interface Compared {
  /** As the type of the column reads it. */
  value: string
  /** As the statement has it. */
  written: string
  offset: number | undefined
}

type KnownColumn = RelationStatistics['columns'][number]

class HintReader {
  readonly #asked: Asked
  readonly #statistics: ReadonlyMap<string, RelationStatistics | null>
  readonly #sql: Buffer

  constructor(asked: Asked, statistics: ReadonlyMap<string, RelationStatistics | null>) {
    this.#asked = asked
    this.#statistics = statistics
    this.#sql = Buffer.from(asked.statement.sql)
  }

  /** The hint for a claim; null where nothing is wrong, or it is not known. */
  hint(claim: Claim): Hint | null {
    const { kind, relation = '', column = '', other = '', operands = [], offset } = claim
    const rows = this.#statistics.get(relation)?.rows
    if (rows === 0) return null
    const found = this.#column(relation, column)
    const place = { ...this.#at(offset), ...(relation ? { relation } : {}), ...(column ? { column } : {}) }
    const names = `"${column}" of ${relation}`
    switch (kind) {
      case 'equals':
      case 'compares':
      case 'differs':
        return this.#absent(claim, found, place)
      case 'bound':
        return this.#outside(claim, found, place)
      case 'null': {
        if (!found?.statistics?.nulls) return null
        const message = `NOT IN finds no row here, since ${names} has NULLs: add WHERE ${spelled(column)} IS NOT NULL to the subquery, or use NOT EXISTS.`
        return { kind: 'null', message, ...place }
      }
      case 'midnight': {
        const [compared] = this.#compared(operands)
        const max = found?.statistics?.max
        if (!compared || (max !== undefined && spaced(max) <= compared.value)) return null
        const { min, values = [] } = found?.statistics ?? {}
        const known = [min, max, ...values].filter(each => each !== undefined)
        if (known.length > 0 && known.every(each => / 00:00:00$/.test(spaced(each)))) return null
        const message = `'${compared.value}' is the midnight at which that day begins, and ${names} has times: use < with the day after, or CAST(${spelled(column)} AS DATE).`
        return { kind: 'midnight', message, ...place }
      }
      case 'order': {
        const order = this.#asked.catalogue.relations.get(relation)?.meanings[column]?.order ?? []
        const instead = `list_position([${order.map(literal).join(', ')}], ${spelled(column)})`
        const message = `${names} is compared by its letters, and its order is ${order.join(', ')}: use ${instead}.`
        return { kind: 'order', message, ...place, ...(claim.operator || other ? {} : { instead }) }
      }
      case 'ties': {
        const most = this.#distinctIn(relation, claim.columns ?? [])
        if (rows === undefined || most >= rows || rows <= this.#limit(operands)) return null
        const message = `Which rows come first is left open: ${rows} rows of ${relation} have ${most} different values in ORDER BY. Add a column that tells them apart.`
        return { kind: 'order', message, ...place }
      }
      case 'limit': {
        const limit = this.#limit(operands)
        const groups = claim.columns ? this.#distinctIn(relation, claim.columns) : Infinity
        if (limit === 0 || (rows ?? Infinity) <= limit || groups <= limit) return null
        const message = 'LIMIT without ORDER BY returns any of the rows: add an ORDER BY that says which.'
        return { kind: 'limit', message, ...place }
      }
      case 'median': {
        const type = found?.type ?? 'DECIMAL'
        const message = `The median of a ${type} is cut to the digits of the type: write CAST(${spelled(column)} AS DOUBLE).`
        return { kind: 'truncation', message, ...place, instead: `CAST(${spelled(column)} AS DOUBLE)` }
      }
      case 'division': {
        const [by, times] = operands.map(({ offset: at }) => numberAt(this.#sql, at))
        if (by === undefined || by !== times) return null
        const message = `/ does not cut here, so that dividing by ${by} and multiplying by it changes nothing: // divides to whole numbers.`
        return { kind: 'truncation', message, ...place, instead: '//' }
      }
      case 'unit': {
        const units = this.#valuesOf(relation, other)
        if (units === null || units.length < 2 || this.#mayHaveOneUnit(claim)) return null
        const message = `${names} is added over rows in different units, which "${other}" tells (${listed(units)}): group by it, or pick one.`
        return { kind: 'unit', message, ...place }
      }
      case 'additive': {
        const left = (claim.columns ?? []).filter(
          name => (this.#column(relation, name)?.statistics?.distinct ?? 2) > 1,
        )
        if (rows === 1 || (claim.columns?.length && left.length === 0)) return null
        const over = left.length > 0 ? ` over ${left.map(name => `"${name}"`).join(' and ')}` : ''
        const message = `${names} must not be summed${over}: ${left.length > 0 ? `group by it, or pick one value of it` : 'its values are no parts of a whole'}.`
        return { kind: 'additive', message, ...place }
      }
      case 'join': {
        if ((this.#statistics.get(other)?.rows ?? 2) < 2) return null
        const what = column
          ? `adds each value of ${names} once for each row of ${other} that it meets`
          : `counts pairs of rows of ${relation} and ${other}`
        const message = `The join ${what}: join on a unique key, or aggregate ${column ? other : 'one of them'} before the join.`
        return { kind: 'join', message, ...place }
      }
    }
  }

  /** Whether the columns that a statement names leave rows of one unit, or that is not known. */
  #mayHaveOneUnit({ relation = '', other = '', columns = [], restricted = [] }: Claim): boolean {
    const known = this.#column(relation, other)?.statistics?.determinedBy
    if (columns.length + restricted.length === 0) return false
    if (!known) return true
    const isUnknown = (name: string) => !this.#column(relation, name)?.statistics?.values
    return [...columns, ...restricted].some(name => known.includes(name)) || columns.some(isUnknown)
  }

  #column(relation: string, column: string): KnownColumn | undefined {
    const name = column.toLowerCase()
    return this.#statistics.get(relation)?.columns.find(each => each.name.toLowerCase() === name)
  }

  /** The most different rows that these columns make; Infinity where that is not known. */
  #distinctIn(relation: string, columns: readonly string[]): number {
    const counts = columns.map(name => {
      const { values, nulls = 0 } = this.#column(relation, name)?.statistics ?? {}
      return values ? values.length + Math.sign(nulls) : Infinity
    })
    return counts.reduce((all, count) => all * count, 1)
  }

  /** The number in LIMIT, or 1 where it is not known. */
  #limit([limit]: readonly Operand[]): number {
    return (limit?.text === undefined ? numberAt(this.#sql, limit?.offset) : undefined) ?? 1
  }

  /** All values of a column, that the snapshot or the catalogue tells; null when they are not known. */
  #valuesOf(relation: string, column: string): readonly string[] | null {
    const { values = {} } = this.#asked.catalogue.relations.get(relation) ?? {}
    const declared = Object.hasOwn(values, column) ? values[column] : undefined
    return this.#column(relation, column)?.statistics?.values ?? declared ?? null
  }

  /** A hint on values that a column never has. */
  #absent(
    { kind, relation = '', column = '', operands = [] }: Claim,
    found: KnownColumn | undefined,
    place: Place,
  ): Hint | null {
    const compared = this.#compared(operands)
    if (compared.length === 0) return null
    const { min, max, values } = found?.statistics ?? {}
    if (found && min !== undefined && max !== undefined && compared.length === operands.length) {
      const isOutside = ({ value }: Compared) => {
        const [below, above] = [orderOf(value, min, found.type), orderOf(value, max, found.type)]
        return (below !== null && below < 0) || (above !== null && above > 0)
      }
      return kind === 'equals' && compared.every(isOutside)
        ? this.#range(compared[0] as Compared, found, place)
        : null
    }
    const { values: lists = {} } = this.#asked.catalogue.relations.get(relation) ?? {}
    const declared = Object.hasOwn(lists, column) ? (lists[column] ?? []) : []
    const own = found && /^(?:VARCHAR|ENUM)/.test(found.type) ? values : undefined
    const known = new Set([...(own ?? []), ...declared])
    if (known.size === 0) return null
    if (compared.some(({ written }) => /^[+-]?\d/.test(written))) return null // the engine reads the texts as numbers
    const missing = compared.filter(({ value }) => !known.has(value))
    const near = ({ value }: Compared) =>
      [...known].find(each => each.trim().toLowerCase() === value.trim().toLowerCase()) ?? null
    // Among values that there are, one that there is not may be meant to be looked for, or left out.
    const isAll = missing.length === operands.length && kind !== 'differs'
    const wrong = isAll ? missing[0] : missing.find(each => near(each) !== null)
    if (!wrong) return null
    const meant = near(wrong) ?? nearest(wrong.value, known)
    const question = meant === null ? '' : ` Did you mean ${literal(meant)}?`
    const message = `"${column}" of ${relation} never has the value ${wrong.written}.${question} Its values are ${listed(own ?? declared)}.`
    const instead = meant !== null && wrong.offset !== undefined ? { instead: literal(meant) } : {}
    return { kind: 'value', message, ...place, ...this.#at(wrong.offset), ...instead }
  }

  #outside({ operator, operands = [] }: Claim, found: KnownColumn | undefined, place: Place): Hint | null {
    const { min, max } = found?.statistics ?? {}
    const [compared] = this.#compared(operands)
    if (!found || !compared || min === undefined || max === undefined) return null
    const [value, { type }] = [compared.value, found]
    const end = operator === '>' || operator === '>=' ? max : min
    const order = orderOf(value, end, type)
    if (order === null) return null
    const beyond = operator === '>' || operator === '>=' ? order : -order
    const isNever = beyond > 0 || (beyond === 0 && (operator === '>' || operator === '<'))
    return isNever ? this.#range(compared, found, place) : null
  }

  #range({ written: shown, offset }: Compared, { name, type, statistics }: KnownColumn, place: Place): Hint {
    const { min = '', max = '' } = statistics ?? {}
    const of = place.relation ? ` of ${place.relation}` : ''
    const message = `No row is found: "${name}"${of}, a ${type}, goes from ${spaced(min)} to ${spaced(max)}, and the statement compares it with ${shown}.`
    return { kind: 'range', message, ...place, ...this.#at(offset) }
  }

  /** The operands whose values are known. */
  #compared(operands: readonly Operand[]): Compared[] {
    const { clock } = this.#asked
    return operands.flatMap(({ text, offset, parameter, daysAgo }): Compared[] => {
      if (daysAgo !== undefined) {
        const days = offset === undefined ? 0 : daysAgo * (numberAt(this.#sql, offset) ?? Number.NaN)
        if (!Number.isFinite(days)) return []
        const value = new Date(clock.now() - days * DAY_MS).toISOString().slice(0, 10)
        return [{ value, written: value, offset: undefined }]
      }
      if (text !== undefined) return [{ value: text, written: literal(text), offset }]
      if (parameter === undefined) {
        const value = numberAt(this.#sql, offset)
        return value === undefined ? [] : [{ value: String(value), written: String(value), offset }]
      }
      const value = this.#sent(parameter)
      return value === undefined ? [] : [{ value, written: `$${parameter}`, offset: undefined }]
    })
  }

  /** The value of a parameter, if it is a string or a number. */
  #sent(parameter: string): string | undefined {
    const { sent = {} } = this.#asked.statement
    const name = Object.keys(sent).find(each => each.toLowerCase() === parameter.toLowerCase())
    const given = name === undefined ? undefined : sent[name]
    const value = typeof given === 'object' && given !== null ? given.value : given
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }

  #at(offset: number | undefined): Pick<Hint, 'at'> {
    return offset === undefined ? {} : { at: locate(this.#asked.statement.sql, offset) }
  }
}

type Place = Partial<Pick<Hint, 'at' | 'relation' | 'column'>>

const NUMBER = /^[+-]?\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?/

/** The number that is written at a place of a statement. */
function numberAt(sql: Buffer, offset: number | undefined): number | undefined {
  if (offset === undefined) return undefined
  const [written] = NUMBER.exec(sql.subarray(offset, offset + 64).toString()) ?? []
  return written === undefined ? undefined : Number(written.replaceAll('_', ''))
}

/** Compares two values; null where their texts do not tell. A date alone stands for all times of its day. */
function orderOf(one: string, other: string, type: string): number | null {
  if (isNumeric(type)) {
    const order = Number(one) - Number(other)
    return Number.isNaN(order) ? null : order
  }
  const isDay = (text: string) => /^\d{4}-\d\d-\d\d/.test(text)
  if (/TIME ZONE/.test(type) || !/^(?:DATE|TIMESTAMP)/.test(type) || !isDay(one) || !isDay(other)) return null
  const length = Math.min(one.length, other.length, 19)
  return compareValues(spaced(one).slice(0, length), spaced(other).slice(0, length), type)
}

/** A column as SQL has it, in quotes where it needs them. */
function spelled(column: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(column) ? column : identifier(column)
}

/** A date and a time with a space between them. */
function spaced(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T/, '$1 ')
}

function listed(values: readonly string[]): string {
  const more = values.length - MOST_NAMED
  return values.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
