import { identifier, typeName } from 'foldgate/internal'
import { adviceFor, type Conversion, conversionOf, type PostgresType } from './conversions.js'
import { refusedStatement } from './postgres-failure.js'
import type { QueryAnswer, Transaction } from './transaction.js'

/** A column of a statement, converted. */
export interface SelectedColumn {
  name: string
  /** Its type in SQL of DuckDB. */
  type: string
  /** The expression that converts it, with its name. */
  sql: string
  /** The expression that converts it. */
  value: string
  /** The OID of its type. */
  oid: number
}

/** Between the columns and the statement. The statement has lines of its own: it may end in a comment. */
export const COLUMNS_BEFORE = ' FROM (\n'
const ALL_BEFORE = `SELECT *${COLUMNS_BEFORE}`
const PREPARE_BEFORE = 'PREPARE foldgate_source AS '

/** The types of columns, with those that they consist of. */
const TYPES = `WITH RECURSIVE parts (oid) AS (
  SELECT unnest($1::oid[])
  UNION
  SELECT part.oid FROM parts JOIN pg_catalog.pg_type AS whole USING (oid) JOIN pg_catalog.pg_type AS part
    ON part.oid = whole.typbasetype OR part.typarray = whole.oid
)
SELECT t.oid, t.typname, n.nspname = 'pg_catalog', t.typtype, t.typcategory, t.typtypmod,
  nullif(t.typbasetype, 0), (SELECT e.oid FROM pg_catalog.pg_type AS e WHERE e.typarray = t.oid),
  pg_catalog.format_type(t.oid, NULL)
FROM parts JOIN pg_catalog.pg_type AS t USING (oid) JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace`

/** Finds the columns of a statement. Throws an error that names each one that cannot be sealed. */
export async function selectedColumns(
  transaction: Transaction,
  statement: string,
  declared: Readonly<Record<string, string>> | null,
  signal: AbortSignal,
): Promise<SelectedColumn[]> {
  const ask = (text: string, before: string, how: { isOne?: boolean; values?: unknown[] } = {}) =>
    transaction.ask({ text, ...how, signal }).catch(cause => {
      throw signal.aborted ? signal.reason : refusedStatement(cause, statement, before)
    })
  // Refuses text that is not exactly one statement, such as text that closes the parenthesis around it.
  await ask(`${PREPARE_BEFORE}${statement}`, PREPARE_BEFORE, { isOne: true })
  await ask('DEALLOCATE foldgate_source', '')
  const { fields } = await ask(`${ALL_BEFORE}${statement}\n) AS source LIMIT 0`, ALL_BEFORE)
  const oids = `{${[...new Set(fields.map(({ dataTypeID }) => dataTypeID))].join(',')}}`
  const types = typesIn(await ask(TYPES, '', { values: [oids] }))
  const problems = problemsOfNames(fields.map(({ name }) => name))
  const columns = fields.flatMap(({ name, dataTypeID, dataTypeModifier }) => {
    const natural = conversionOf(types, `${dataTypeID}`, dataTypeModifier)
    const conversion =
      declared && Object.hasOwn(declared, name) ? asDeclared(natural, declared[name]) : natural
    if (conversion?.type != null) {
      const [value, named] = [conversion.sql?.(identifier(name)) ?? identifier(name), identifier(name)]
      return {
        name,
        type: conversion.type,
        value,
        sql: value === named ? named : `${value} AS ${named}`,
        oid: dataTypeID,
      }
    }
    problems.push(`the column ${JSON.stringify(name)} ${adviceFor(types, `${dataTypeID}`, identifier(name))}`)
    return []
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return columns
}

/** A column that is declared as VARCHAR gets the text of PostgreSQL, whatever its type. */
function asDeclared(natural: Conversion | null, declared = ''): Conversion | null {
  if (typeName(declared) === 'VARCHAR' && natural?.type !== 'VARCHAR')
    return { type: 'VARCHAR', sql: value => `${value}::text` }
  return natural && { ...natural, type: natural.type ?? declared }
}

/** A type in which texts are compared, and whether a text is a value of it. */
interface Compared {
  type: string
  isValue(text: string): boolean
}

const TEXT: Compared = { type: 'text', isValue: text => !text.includes('\0') } // which no text of PostgreSQL has
const INTEGER: Compared = {
  type: 'int8',
  isValue: text => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text),
}
const UUID: Compared = {
  type: 'uuid',
  isValue: text => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text),
}
/** Types, by OID, of which different texts are different values, so that the column itself can be compared. */
const OF_ONE_TEXT: Readonly<Record<number, Compared>> = {
  ...{ 20: INTEGER, 21: INTEGER, 23: INTEGER },
  ...{ 25: TEXT, 1043: TEXT, 2950: UUID },
}

/**
 * The condition that a column is missing or has, as COPY writes it, one of these texts. Of common types, the column itself is
 * compared, for which there may be an index.
 */
export function isOneOf({ name, value, oid }: SelectedColumn, texts: readonly string[]): string {
  const known = OF_ONE_TEXT[oid]
  const { type, isValue } = known ?? TEXT
  const compared = known ? identifier(name) : `concat(${value})`
  const values = texts.filter(isValue).map(textLiteral)
  return `${compared} = ANY (ARRAY[${values.join(', ')}]::${type}[]) OR ${identifier(name)} IS NULL`
}

/** A literal that means the same whatever `standard_conforming_strings` is. */
function textLiteral(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

function problemsOfNames(names: readonly string[]): string[] {
  if (names.length === 0) return ['the statement has no columns']
  const lower = names.map(name => name.toLowerCase())
  return names.flatMap((name, at) => {
    if (name === '?column?') return `column ${at + 1} has no name: give it one with AS`
    return lower.indexOf(lower[at] ?? '') < at
      ? `two columns have the name ${JSON.stringify(name)}: name one otherwise with AS`
      : []
  })
}

function typesIn({ rows }: QueryAnswer): Map<string, PostgresType> {
  return new Map(
    rows.map(([oid, name, isBuiltIn, kind, category, modifier, base, element, title]) => [
      `${oid}`,
      {
        name: `${name}`,
        isBuiltIn: isBuiltIn === 't',
        kind: `${kind}`,
        category: `${category}`,
        modifier: Number(modifier),
        base: base ?? null,
        element: element ?? null,
        title: `${title}`,
      },
    ]),
  )
}
