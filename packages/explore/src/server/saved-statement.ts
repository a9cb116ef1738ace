import { quoted, Refusal } from 'foldgate-server/parts'

/** Maximum length of the SQL of a saved query, in UTF-8 bytes: that of a statement that the API accepts. */
export const MAX_SAVED_SQL_BYTES = 64 * 1024
/** Maximum length of the values of a saved query as JSON, in UTF-8 bytes: that of the values which the API accepts. */
export const MAX_SAVED_PARAMETERS_BYTES = 64 * 1024
/** Number of parameters that a statement may have. */
const MOST_PARAMETERS = 100
const MAX_TYPE_CHARACTERS = 100
const NAME = /^[a-z_][a-z0-9_]{0,62}$/

/** What a user typed for a parameter of a saved query. */
export interface SavedParameter {
  /** The SQL type that was chosen; absent where the text decides. */
  type?: string
  /** The text; null for NULL. */
  value: string | null
}

/** The text that was typed for each parameter of a saved query, by its name in lower case. */
export type SavedParameters = Record<string, SavedParameter>

/** Returns the SQL of a query to save. Throws a Refusal when it cannot be saved. */
export function checkSavedSql(sql: string): string {
  if (sql.trim() === '') throw new Refusal('The SQL of the query is empty: write a statement')
  if (Buffer.byteLength(sql) > MAX_SAVED_SQL_BYTES)
    throw new Refusal(`The SQL of the query is longer than ${MAX_SAVED_SQL_BYTES / 1024} KiB: shorten it`)
  // PostgreSQL cannot store it.
  if (sql.includes('\0')) throw new Refusal('The SQL of the query has a NUL character in it: leave it out')
  return sql
}

/** Reads the texts of parameters from JSON; '' has none. Throws a Refusal when it cannot be saved. */
export function readSavedParameters(json: string): SavedParameters {
  if (json === '') return {}
  if (Buffer.byteLength(json) > MAX_SAVED_PARAMETERS_BYTES)
    throw new Refusal(
      `The values of the parameters have more than ${MAX_SAVED_PARAMETERS_BYTES / 1024} KiB: shorten them`,
    )
  const members = Object.entries(parse(json))
  if (members.length > MOST_PARAMETERS)
    throw new Refusal(`A query has at most ${MOST_PARAMETERS} parameters: save fewer`)
  return Object.fromEntries(
    members.map(([name, typed]) => {
      if (!NAME.test(name))
        throw new Refusal(
          `${quoted(name)} is no name of a parameter: use 1 to 63 of a–z, 0–9 and _, and begin with no digit`,
        )
      return [name, parameterOf(name, typed)]
    }),
  )
}

function parse(json: string): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(json)
  } catch {
    parsed = undefined
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw new Refusal('The parameters of the query are not a JSON object: send one of names and values')
}

function parameterOf(name: string, typed: unknown): SavedParameter {
  const { type, value, ...others } = (typed ?? {}) as Record<string, unknown>
  const isText = value === null || typeof value === 'string'
  const isType = type === undefined || (typeof type === 'string' && type.length <= MAX_TYPE_CHARACTERS)
  if (!isText || !isType || Object.keys(others).length > 0)
    throw new Refusal(
      `The parameter ${quoted(name)} must have "value", a string or null, and may have "type", a string, and nothing else`,
    )
  return { ...(type === undefined ? {} : { type: type as string }), value }
}
