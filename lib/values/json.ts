import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-reader.js'
import { isExact, LARGEST_EXACT } from './numbers.js'
import type { Output } from './output.js'
import { writeStrictJson } from './strict-json.js'
import { spellDate } from './temporal.js'
import { type ColumnType, type ResultColumn, type StructField, TYPES, type TypeOf } from './types.js'
import type { DecimalType, Integer, Slice, Spelling, Value, Vector } from './vector.js'

/** Writes the value of a vector at an index. */
export type Write = (vector: Vector, index: number, out: Output) => void

/** How the loop over columns writes most values of a column itself, without a call to a function of their type. */
export interface PlainForm {
  isText: boolean
  isDate: boolean
  /** Digits of numbers after the point. */
  scale: number
}

export function plainFormOf(type: ColumnType): PlainForm {
  return {
    isText: TYPES[type.kind].json === 'string',
    isDate: type.kind === 'date',
    scale: type.kind === 'decimal' ? type.scale : 0,
  }
}

/** Writes rows as JSON objects, in one line each. */
export function jsonRows(
  columns: readonly ResultColumn[],
): (vectors: readonly Vector[], row: number, out: Output) => void {
  const writers = columns.map(({ type }) => jsonOf(type))
  const forms = columns.map(({ type }) => plainFormOf(type))
  const keys = keysOf(columns)
  return (vectors, row, out) => {
    out.byte(OPEN_OBJECT)
    for (let column = 0; column < writers.length; column++) {
      const [vector, form] = [vectors[column] as Vector, forms[column] as PlainForm]
      out.raw(keys[column] as Slice)
      if (vector.isNull(row)) out.ascii('null')
      else if (form.isText) out.jsonString(vector.value(row) as Slice)
      else if (vector.numbers === null) (writers[column] as Write)(vector, row, out)
      else if (form.isDate) writeQuoted(spellDate(vector.numbers[row] as number), out)
      else if (Math.abs(vector.numbers[row] as number) <= LARGEST_EXACT)
        out.decimal(vector.numbers[row] as number, form.scale)
      else (writers[column] as Write)(vector, row, out)
    }
    out.byte(CLOSE_OBJECT)
  }
}

/** What precedes each member of an object. */
function keysOf(fields: readonly { name: string }[]): Slice[] {
  return fields.map(({ name }, index) => {
    const bytes = Buffer.from(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`)
    return { bytes, from: 0, to: bytes.length }
  })
}

/** Spells scalars that are neither strings nor JSON. */
export function spellingOf(type: ColumnType): (value: Value) => string {
  const spell = TYPES[type.kind].spell as Spelling | null
  if (!spell) throw new Error(`${type.kind} is spelled by no function`)
  return value => spell(value as never, type as DecimalType)
}

/** How JSON has the values of a type; `null` for NULL. */
function jsonOf(type: ColumnType): Write {
  const write = jsonOfPresent(type)
  return (vector, index, out) => (vector.isNull(index) ? out.ascii('null') : write(vector, index, out))
}

function jsonOfPresent(type: ColumnType): Write {
  const form = TYPES[type.kind].json
  switch (form) {
    case 'bare': {
      const spell = spellingOf(type)
      return (vector, index, out) => out.ascii(spell(vector.value(index)))
    }
    case 'quoted': {
      const spell = spellingOf(type)
      return (vector, index, out) => writeQuoted(spell(vector.value(index)), out)
    }
    case 'number': {
      const spell = spellingOf(type)
      return (vector, index, out) => {
        const value = vector.value(index)
        if (isExact(type.kind, value as Integer)) out.ascii(spell(value))
        else writeQuoted(spell(value), out)
      }
    }
    case 'string':
      return (vector, index, out) => out.jsonString(vector.value(index) as Slice)
    case 'json':
      return (vector, index, out) => writeStrictJson(vector.value(index) as Slice, out, { inOneLine: true })
    case 'list':
    case 'array':
      return listOf((type as TypeOf<'list'>).items)
    case 'struct':
      return structOf((type as TypeOf<'struct'>).fields)
    case 'map':
      return mapOf(type as TypeOf<'map'>)
    case 'union':
      return memberOf((type as TypeOf<'union'>).members, jsonOf)
    default:
      return form satisfies never
  }
}

/** Writes ASCII that needs no escaping as a JSON string. */
function writeQuoted(text: string, out: Output): void {
  out.byte(QUOTE)
  out.ascii(text)
  out.byte(QUOTE)
}

function listOf(items: ColumnType): Write {
  const write = jsonOf(items)
  return (vector, index, out) => {
    const [child, start, end] = [vector.children[0] as Vector, vector.start(index), vector.end(index)]
    out.byte(OPEN_LIST)
    for (let at = start; at < end; at++) {
      if (at > start) out.byte(COMMA)
      write(child, at, out)
    }
    out.byte(CLOSE_LIST)
  }
}

function structOf(fields: readonly StructField[]): Write {
  const writers = fields.map(({ type }) => jsonOf(type))
  const keys = keysOf(fields)
  return (vector, index, out) => {
    out.byte(OPEN_OBJECT)
    for (let field = 0; field < writers.length; field++) {
      out.raw(keys[field] as Slice)
      ;(writers[field] as Write)(vector.children[field] as Vector, index, out)
    }
    out.byte(CLOSE_OBJECT)
  }
}

/** An object when keys are VARCHAR, else a list of objects with `key` and `value`. */
function mapOf(type: TypeOf<'map'>): Write {
  const [writeKey, writeValue] = [jsonOf(type.key), jsonOf(type.value)]
  const isObject = type.key.kind === 'varchar'
  return (vector, index, out) => {
    const [keys, values] = vector.children as [Vector, Vector]
    const [start, end] = [vector.start(index), vector.end(index)]
    out.byte(isObject ? OPEN_OBJECT : OPEN_LIST)
    for (let at = start; at < end; at++) {
      if (at > start) out.byte(COMMA)
      if (!isObject) out.ascii('{"key":')
      writeKey(keys, at, out)
      if (isObject) out.byte(COLON)
      else out.ascii(',"value":')
      writeValue(values, at, out)
      if (!isObject) out.byte(CLOSE_OBJECT)
    }
    out.byte(isObject ? CLOSE_OBJECT : CLOSE_LIST)
  }
}

/** Writes the member that a union holds. */
export function memberOf(members: readonly StructField[], writerOf: (type: ColumnType) => Write): Write {
  const writers = members.map(({ type }) => writerOf(type))
  return (vector, index, out) => {
    const member = vector.value(index) as number
    ;(writers[member] as Write)(vector.children[member] as Vector, index, out)
  }
}

/** Writes the text of a value; false for NULL, of which nothing is written. */
export type WriteText = (vector: Vector, index: number, out: Output) => boolean

/** The text of a value: a string as it is, anything else as JSON has it, scalars without quotes. */
export function textOf(type: ColumnType): WriteText {
  if (type.kind === 'union') return textOfMember(type.members, textOf)
  const write = textOfPresent(type)
  return (vector, index, out) => {
    if (vector.isNull(index)) return false
    write(vector, index, out)
    return true
  }
}

/** The text of the member that a union holds. */
export function textOfMember(
  members: readonly StructField[],
  writerOf: (type: ColumnType) => WriteText,
): WriteText {
  const writers = members.map(({ type }) => writerOf(type))
  return (vector, index, out) => {
    if (vector.isNull(index)) return false
    const member = vector.value(index) as number
    return (writers[member] as WriteText)(vector.children[member] as Vector, index, out)
  }
}

function textOfPresent(type: ColumnType): Write {
  const { json, spell } = TYPES[type.kind]
  if (json === 'string') return (vector, index, out) => out.raw(vector.value(index) as Slice)
  if (json === 'json')
    return (vector, index, out) => writeStrictJson(vector.value(index) as Slice, out, { inOneLine: false })
  if (!spell) return jsonOfPresent(type)
  const text = spellingOf(type)
  return (vector, index, out) => out.ascii(text(vector.value(index)))
}
