import { DuckDBInstance } from '@duckdb/node-api'
import { defineCatalogue, defineFold } from 'foldgate'
import { digestsOf } from '#lib/duckdb/plan.js'
import { TEXT_FUNCTION } from '#lib/values/types.js'
import { FOREIGN_PROJECT, KEYS, OTHER_PROJECT } from './service.js'

/** What a caller knows who gets an answer, and what only the service has. */
export interface Known {
  /** What the caller has sent: words that stand in it, in any case, are the caller's own. Default: nothing. */
  sent?: string
  /** Further words that no caller is told, such as the folder of the service. Default: none. */
  secrets?: readonly string[]
}

/** The name of the database of a relation; it may be cut. */
export const DATABASE = databasePattern()
/** Schemas, and functions that read files. */
const OF_THE_ENGINE = String.raw`\bmain\b|\b(?:memory|system|temp)\.|\b(?:read|write)_(?:parquet|json|csv|text|blob)\w*`
/** What stands around a statement when it runs, how DuckDB quotes it, and its hidden names but for those of ARRAY(…). */
const AROUND = String.raw`\bCOPY\b|\bUNION ALL\b|\bLIMIT \d|\bOFFSET \d|\bDESCRIBE \(|\bLINE \d|\bq\b|\bc\d+\b|\b(?!__array_internal_idx_)\w*__\w+|\bSET \w+`
const FILES = String.raw`(?<![\w./:])\/(?:[\w.-]+\/)+[\w.-]*|\.(?:duckdb|parquet|wal|tmp|again)\b|\b${TEXT_FUNCTION}\b|node_modules`
/** A digest has letters among its digits; a number does not. */
const DIGEST = String.raw`\b(?=[0-9]*[a-f])[0-9a-f]{16,}`
let ours: Promise<RegExp> | undefined
/** The schema in names that DuckDB makes of expressions such as `[1]`: they are names in SQL as they are. */
const IN_NAMES = /\bmain\.(?=\w+\(|"+\w+"+\()/g
/** A word of this length may be a part of a longer one that the caller has sent. */
const LONG = 16
/** Keys, owners and projects besides those of the caller, who has the key `north` and its first project. */
const OF_OTHERS = [FOREIGN_PROJECT, OTHER_PROJECT, ...Object.values(KEYS), 'north', 'south', 'ada', 'bob', 'eve']
const OTHERS = new RegExp(String.raw`\b(?:${OF_OTHERS.join('|')})\b`, 'g')

/**
 * Words of an answer that no caller should be told, since they belong to the service, its engine or another tenant: names
 * of databases, schemas, files, folders and settings, digests, and the SQL around a statement. The names of a result and
 * the text of a failure are searched as they are; values may be anything.
 */
export async function wordsOfOurs(answer: string, { sent = '', secrets = [] }: Known = {}): Promise<string[]> {
  ours ??= oursPattern()
  const theirs = sent.toLowerCase()
  const words = new Set(theirs.match(/\w+/g))
  const isTheirs = (word: string) => words.has(word) || (word.length >= LONG && theirs.includes(word))
  const found = [await ours, OTHERS].flatMap(pattern => answer.match(pattern) ?? [])
  const told = found.filter(each => !(each.toLowerCase().match(/\w+/g) ?? []).every(isTheirs))
  return [...told, ...secrets.filter(word => answer.includes(word))]
}

/** Names of columns, or a failure with those that it suggests, as {@link wordsOfOurs} takes them. */
export function withoutMadeNames(answer: string, lines: RegExp): string {
  return answer.replace(lines, line => line.replace(IN_NAMES, ''))
}

/** The pattern comes from a name that the planner has made. */
function databasePattern(): RegExp {
  const fold = defineFold({ name: 'one', about: 'One row.', reads: [], sql: 'SELECT 1 AS one' })
  const [made = ''] = digestsOf(defineCatalogue({ relations: [fold] }), {} as never)
  const [, prefix, digits = ''] = /^(\w+_)([0-9a-f]+)$/.exec(made) ?? []
  if (prefix === undefined) throw new Error(`the planner names databases in another way: ${made}`)
  return new RegExp(String.raw`\b${prefix}[0-9a-f]{6,${digits.length}}`, 'g')
}

async function oursPattern(): Promise<RegExp> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const named = await connection.runAndReadAll("SELECT name FROM duckdb_settings() WHERE contains(name, '_')")
  instance.closeSync()
  const settings = String.raw`\b(?:${named.getRowsJson().join('|')})\b`
  return new RegExp([DATABASE.source, OF_THE_ENGINE, AROUND, FILES, DIGEST, settings].join('|'), 'g')
}
