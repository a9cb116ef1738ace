import { uniqueNames } from 'foldgate/internal'

/** A type as Trino's statement protocol describes it. */
export interface TypeSignature {
  /** Base type, such as `bigint`, `array` or `timestamp with time zone`. */
  rawType: string
  arguments: readonly TypeArgument[]
}

/** An argument of a type: a number, an element type, or a field of a row. */
export type TypeArgument =
  | { kind: 'LONG'; value: number }
  | { kind: 'TYPE'; value: TypeSignature }
  | { kind: 'NAMED_TYPE'; value: { fieldName?: { name: string } | null; typeSignature: TypeSignature } }
  | { kind: 'VARIABLE'; value: string }

/** A field of a row; unnamed fields are numbered from 1, as DuckDB numbers them. */
export interface RowField {
  name: string
  type: TypeSignature
}

/** A column of a result, with its name as callers see it. */
export interface TrinoColumn {
  name: string
  type: TypeSignature
}

/** Types of elements: of an array its items, of a map its keys and values. */
export function elements(type: TypeSignature): TypeSignature[] {
  return type.arguments.flatMap(argument => (argument.kind === 'TYPE' ? [argument.value] : []))
}

/** Fields of a row, with names that are unique in it. */
export function fields(type: TypeSignature): RowField[] {
  const named = type.arguments.flatMap(argument => (argument.kind === 'NAMED_TYPE' ? [argument.value] : []))
  const names = uniqueNames(named.map((field, index) => field.fieldName?.name || String(index + 1)))
  return named.map((field, index) => ({ name: names[index] as string, type: field.typeSignature }))
}

/** The numbers among the arguments of a type: precision and scale. */
export function parameters(type: TypeSignature): number[] {
  return type.arguments.flatMap(argument => (argument.kind === 'LONG' ? [argument.value] : []))
}

/** A varchar without a length has the largest one in its signature. */
const UNBOUNDED = 2_147_483_647

/** The name of a type as callers read it, such as `DECIMAL(10, 2)`. */
export function typeName(type: TypeSignature): string {
  const { rawType } = type
  const numbers = parameters(type)
  switch (rawType) {
    case 'array':
    case 'map':
      return `${rawType.toUpperCase()}(${elements(type).map(typeName).join(', ')})`
    case 'row':
      return `ROW(${fields(type)
        .map(field => `${field.name} ${typeName(field.type)}`)
        .join(', ')})`
    case 'varchar':
      return numbers[0] === undefined || numbers[0] === UNBOUNDED ? 'VARCHAR' : `VARCHAR(${numbers[0]})`
    case 'timestamp with time zone':
    case 'time with time zone':
      return `${rawType.split(' ')[0]?.toUpperCase()}(${numbers[0] ?? 3}) WITH TIME ZONE`
    default:
      return numbers.length > 0 ? `${rawType.toUpperCase()}(${numbers.join(', ')})` : rawType.toUpperCase()
  }
}
