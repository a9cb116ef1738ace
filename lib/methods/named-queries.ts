import { type LimitedCaller, mayRun } from '../call/caller.js'
import type { ExportParams, QueryParams } from '../call/params.js'
import { findQuery, type QueryDefinition, versioned } from '../catalogue/queries.js'
import type { Engines } from '../engine/engines.js'
import { AnalyticsError } from '../errors.js'
import { object, openObject, optional, type Schema } from '../schema.js'
import { nearest } from '../values/nearest.js'
import type { Words } from '../words.js'
import { exportProject } from './export.js'
import { cannotCall, type Method } from './method.js'
import { describeNamed } from './named-query-documents.js'
import { parametersToSend, valuesOf } from './named-query-values.js'
import { queryProject } from './query.js'
import { readable } from './readable-catalogue.js'

/** What the methods of named queries are called, before their names. */
export const QUERIES = 'queries/'

/** A named query as a method. */
export interface NamedQuery {
  query: QueryDefinition
  /** Returns a page of its rows. It describes the query, and so also what asks for a file. */
  rows: Method
  /** Writes its rows to a file. */
  file: Method
}

/** The named queries of a catalogue as methods. */
export class QueryMethods {
  /** In the order of definition. */
  readonly all: readonly NamedQuery[]

  readonly #asPage: Method
  readonly #asFile: Method
  readonly #engines: Pick<Engines, 'main'>

  constructor(queries: readonly QueryDefinition[], words: Words, engines: Pick<Engines, 'main'>) {
    this.#engines = engines
    const otherQuery = words.otherQuery.replace(/, sql| and sql/, '') // callers of a named query send none
    this.#asPage = queryProject({ ...words, otherQuery }) as Method
    this.#asFile = exportProject(words) as Method
    this.all = queries.map(query => this.#made(query))
  }

  /** The queries that a key may run, without the parameters that the key sets. */
  async of(caller: LimitedCaller): Promise<readonly NamedQuery[]> {
    return (await this.#open(caller)).map(each => this.#for(caller, each))
  }

  /**
   * The method that a name stands for, which `params` make one of rows or of a file; null for names of other methods,
   * and if the catalogue has no queries. Throws NOT_FOUND for a query that is unknown, or that the key may not run.
   */
  async find(name: string, params: unknown, caller: LimitedCaller): Promise<Method | null> {
    if (this.all.length === 0 || !name.startsWith(QUERIES)) return null
    const called = name.slice(QUERIES.length)
    const asFile = isForFile(params) // read before waiting, since callers forget them
    const open = await this.#open(caller)
    const queries = open.map(({ query }) => query)
    const { query, successor } = findQuery(queries, called)
    const found = open.find(each => each.query === query)
    if (!found) throw unknown(called, queries, successor)
    if (asFile && !mayExport(caller)) throw cannotCall()
    const { rows, file } = this.#for(caller, found)
    return asFile ? file : rows
  }

  /** The name of the method that a name stands for, whoever calls it; undefined for a query that there is not. */
  methodName(name: string): string | undefined {
    const queries = this.all.map(({ query }) => query)
    const { query } = name.startsWith(QUERIES) ? findQuery(queries, name.slice(QUERIES.length)) : {}
    return query && QUERIES + versioned(query)
  }

  /** The queries that a key may run: its limits allow them, and all relations that they read. */
  async #open(caller: LimitedCaller): Promise<readonly NamedQuery[]> {
    const allowed = this.all.filter(({ query: { name, version } }) => mayRun(caller, name, version))
    const queries = allowed.map(({ query }) => query)
    const open = new Set(await readable(caller, this.#engines.main, queries))
    return allowed.filter(({ query }) => open.has(query))
  }

  /** A query that is described with these parameters. */
  #made(query: QueryDefinition, parameters = query.parameters): NamedQuery {
    const isTaken: IsTaken = (name, caller) =>
      this.all.some(({ query: { name: of, version, parameters } }) => {
        return mayRun(caller, of, version) && Object.hasOwn(parameters, name)
      })
    const rows = flavour(query, this.#asPage, isTaken)
    const file = flavour(query, this.#asFile, isTaken)
    const told = { ...query, parameters }
    const { params, ...described } = describeNamed(told, rows, file)
    return { query: told, rows: { ...rows, ...described, params: { ...rows.params, json: params } }, file }
  }

  /** A query whose parameters are those that callers with this key send. */
  #for(caller: LimitedCaller, named: NamedQuery): NamedQuery {
    const { query } = named
    const parameters = parametersToSend(query.parameters, caller)
    if (Object.keys(parameters).length === Object.keys(query.parameters).length) return named
    return this.#made(query, parameters)
  }
}

/** Whether some query that a key may run has a parameter of this name. */
type IsTaken = (name: string, caller: LimitedCaller) => boolean

/**
 * Whether a key may write the rows of named queries to files: a key that is limited to
 * methods needs projects/export, too.
 */
function mayExport({ only }: LimitedCaller): boolean {
  return only?.methods === undefined || only.methods.includes('projects/export')
}

function isForFile(params: unknown): boolean {
  return typeof params === 'object' && params !== null && Object.hasOwn(params, 'format')
}

function unknown(
  called: string,
  open: readonly QueryDefinition[],
  successor: QueryDefinition | undefined,
): AnalyticsError {
  if (successor)
    return new AnalyticsError(
      'NOT_FOUND',
      `There is no such version of the query. Call ${versioned(successor)}.`,
    )
  const near = nearest(called, new Set(open.map(({ name }) => name)))
  const hint = near ? `Did you mean ${near}?` : 'The document queries.json describes those that there are.'
  return new AnalyticsError('NOT_FOUND', `There is no query with this name. ${hint}`)
}

/** A method that runs the statement of a query in place of the caller's. */
function flavour(query: QueryDefinition, method: Method, isTaken: IsTaken): Method {
  const { sql: _, dryRun: __, ...fields } = method.params.fields as Record<string, Schema<unknown>>
  const parameters = optional(openObject<Record<string, unknown>>('Values of the parameters.'))
  const params = object(
    { ...fields, parameters },
    'The project, the values of the parameters, and what to return.',
  )
  return {
    ...method,
    name: QUERIES + versioned(query),
    summary: query.about,
    params,
    errors: [...new Set(['NOT_FOUND' as const, ...method.errors])],
    async run(given, context) {
      const { parameters: values, ...rest } = given as Partial<QueryParams & ExportParams>
      const parameters = valuesOf(query, values ?? {}, context, isTaken)
      const [sent, isLimited] = [Object.values(values ?? {}), context.caller.only !== undefined]
      const named = { name: versioned(query), columns: query.columns, sent, isLimited }
      return method.run({ ...rest, sql: query.sql, parameters, named }, context)
    },
  }
}
