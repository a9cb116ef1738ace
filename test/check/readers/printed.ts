import assert from 'node:assert/strict'
import { sameColumn } from './alike.js'

/** A row of a page. */
export type Row = Record<string, unknown>

/**
 * What a reader prints, in the normal form: a value as pages have it, where a number may be text, and a map a list of
 * its entries. `apart` has each column that is left out, or why it cannot be read.
 */
export interface Printed {
  columns: string[]
  rows: unknown[][]
  apart?: Record<string, unknown[] | { error: string }>
  error?: string
}

/** Asserts that a reader gives what pages have, except in the columns left out, in which it must not. */
export function assertRead(printed: Printed, paged: readonly Row[], leftOut: readonly string[]): void {
  assertPaged(printed, paged, leftOut)
  for (const column of leftOut) {
    const given = printed.apart?.[column]
    assert.ok(given, column)
    const isSame = Array.isArray(given) && sameColumn(column, given, valuesOf(column, paged))
    assert.ok(!isSame, `${column} is read as pages have it: it need not be left out`)
  }
}

/** Asserts that all columns but those left out have the names and values of pages. */
export function assertPaged({ columns, rows }: Printed, paged: readonly Row[], leftOut: readonly string[]): void {
  assert.deepEqual(columns, namesBut(leftOut, paged))
  const differing = columns.flatMap((column, index) => {
    const given = rows.map(row => row[index])
    const wanted = valuesOf(column, paged)
    return sameColumn(column, given, wanted) ? [] : [{ column, given, wanted }]
  })
  assert.deepEqual(differing, [])
}

/** The values of a column, whatever its name. */
export const valuesOf = (column: string, rows: readonly Row[]) =>
  rows.map(row => new Map(Object.entries(row)).get(column))

/** The names of the columns that are not left out. */
export const namesBut = (leftOut: readonly string[], rows: readonly Row[]) =>
  Object.keys(rows[0] ?? {}).filter(name => !leftOut.includes(name))

/** A statement with the columns of another one, and none of its rows. */
export const withoutRows = (sql: string) => `SELECT * FROM (${sql}) WHERE false`
