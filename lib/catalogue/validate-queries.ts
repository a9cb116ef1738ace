import { parseType, UnknownType } from '../values/parameter-types.js'
import { type QueryDefinition, type QueryParameter, versioned } from './queries.js'
import { isOneOf, wrongValue } from './query-values.js'
import { checkColumns, checkFields, isObject, isTexts, type Wrong } from './validate.js'

/** Words without two underscores in a row, so that generated clients tell the names apart. */
const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/
/** Agents call a query as a tool, and clients bound the names of tools. */
const MOST_CHARACTERS = 48
const PARAMETER = /^[a-z][a-z0-9_]{0,62}$/
/** As many as a call may send. */
const MOST_PARAMETERS = 100

const FIELDS = ['name', 'version', 'about', 'parameters', 'columns', 'meanings', 'sql', 'replaces']

/** Throws a TypeError when a named query is invalid, by itself or beside the others. */
export function checkQueries(queries: readonly QueryDefinition[]): void {
  if (!Array.isArray(queries)) throw new TypeError('queries must be a list of queries: use defineQuery')
  const names = new Map<string, string>()
  const defined = new Set<string>()
  for (const [index, query] of (queries as readonly QueryDefinition[]).entries()) {
    if (!isObject(query)) throw new TypeError(`queries[${index}] is no query: use defineQuery`)
    const { name, version } = query
    if (typeof name !== 'string' || !NAME.test(name) || name.length > MOST_CHARACTERS)
      throw new TypeError(
        `query "${name}": a name is words of a-z and 0-9 joined by _, begins with a letter, and has at most ${MOST_CHARACTERS} characters`,
      )
    if (!Number.isSafeInteger(version) || version < 1)
      throw new TypeError(`query "${name}": version must be a whole number from 1`)
    if (defined.has(versioned(query))) throw new TypeError(`query "${versioned(query)}" is defined twice`)
    defined.add(versioned(query))
    const joined = name.replaceAll('_', '')
    const other = names.get(joined) ?? name
    if (other !== name)
      throw new TypeError(`queries "${other}" and "${name}" have the same name in generated clients`)
    names.set(joined, name)
    checkQuery(query)
  }
  checkReplaced(queries)
}

function checkQuery(query: QueryDefinition): void {
  const { about, parameters, sql, replaces } = query
  const wrong: Wrong = message => {
    throw new TypeError(`query "${versioned(query)}": ${message}`)
  }
  checkFields(query, FIELDS, wrong)
  if (typeof about !== 'string' || about === '') wrong('about must say what it answers')
  if (typeof sql !== 'string' || sql === '') wrong('sql must be one SELECT')
  checkColumns(query, wrong)
  if (!isTexts(replaces)) wrong('replaces must be a list of names of queries')
  if (!isObject(parameters)) wrong('parameters must be names with { type, about }')
  const names = Object.keys(parameters)
  if (names.length > MOST_PARAMETERS) wrong(`it has more than ${MOST_PARAMETERS} parameters`)
  for (const [name, parameter] of Object.entries(parameters)) {
    if (!PARAMETER.test(name))
      wrong(
        `parameter "${name}": a name is a-z, 0-9 and _, begins with a letter, and has at most 63 characters`,
      )
    checkParameter(parameter, message => wrong(`parameter "${name}": ${message}`))
  }
}

function checkParameter(parameter: QueryParameter, wrong: Wrong): void {
  if (!isObject(parameter)) wrong('it must be { type, about }')
  checkFields(parameter, ['type', 'about', 'values', 'default'], wrong)
  const { type, about, values, default: fallback } = parameter
  checkType(type, wrong)
  if (typeof about !== 'string' || about === '') wrong('about must say what callers choose by it')
  if (values !== undefined && (!Array.isArray(values) || values.length === 0))
    wrong('values must be a list of what callers may send')
  for (const value of values ?? []) {
    const why = value === null ? 'NULL is allowed by default: null' : wrongValue(type, value)
    if (why !== null) wrong(`values has ${JSON.stringify(value)}: ${why}`)
  }
  if (fallback === undefined || fallback === null) return
  const why = wrongValue(type, fallback)
  if (why !== null) wrong(`default is ${JSON.stringify(fallback)}: ${why}`)
  if (!isOneOf(parameter, fallback)) wrong(`default is ${JSON.stringify(fallback)}, which values lacks`)
}

function checkType(type: unknown, wrong: Wrong): void {
  try {
    if (typeof type === 'string') return void parseType(type)
  } catch (cause) {
    if (!(cause instanceof UnknownType)) throw cause
    wrong(`it is of type "${type}", which no value can have. ${cause.message}`)
  }
  wrong(`it is of type "${type}": write its SQL type, such as VARCHAR`)
}

function checkReplaced(queries: readonly QueryDefinition[]): void {
  const heirs = new Map<string, string>()
  for (const query of queries)
    for (const replaced of query.replaces) {
      if (queries.some(({ name }) => name === replaced))
        throw new TypeError(`query "${versioned(query)}": replaces names "${replaced}", which is defined`)
      const heir = heirs.get(replaced) ?? query.name
      if (heir !== query.name)
        throw new TypeError(`queries "${heir}" and "${query.name}" both replace "${replaced}"`)
      heirs.set(replaced, query.name)
    }
}
