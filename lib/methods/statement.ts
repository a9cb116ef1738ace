import { parametersOfKey, seenRows } from '../call/caller.js'
import { lostRun, queryDigest } from '../call/cursor.js'
import type { QueryParams } from '../call/params.js'
import { whyUnknown } from '../catalogue/row-limits.js'
import type { RunningEngine } from '../engine/engines.js'
import { RunFailure } from '../engine/failure.js'
import { type Asker, type Engine, EngineFailure, type PointOfView, type Statement } from '../engine/port.js'
import { AnalyticsError, type ErrorClass } from '../errors.js'
import { type GuardRule, locate, type RunRule } from '../guard/refusal.js'
import type { ParameterValue } from '../model.js'
import type { Caller, ProjectRecord } from '../ports.js'
import {
  type BoundParameter,
  parameterError,
  readParameters,
  textOfParameters,
} from '../values/parameters.js'
import type { Words } from '../words.js'
import { type CallContext, EXAMPLE_PROJECT } from './method.js'
import {
  checkTables,
  engineOf,
  type PinnedFailure,
  pinnedFailure,
  readableProject,
  readySnapshot,
} from './project.js'

/** Params that define a statement and its point of view. */
interface StatementParams extends Omit<QueryParams, 'page' | 'include' | 'dryRun'> {
  /** The named query that it is, whose SQL callers are not told. */
  named?: NamedRun
}

/** Params of the examples. */
export const exampleStatement = ({ hasPointOfView, sample }: Words) => ({
  projectId: EXAMPLE_PROJECT,
  ...(hasPointOfView ? { ownershipView: 'net' } : {}),
  sql: sample.sql,
})

/** NOT_FOUND where callers can name an entity. */
export const notFound = ({ hasPointOfView }: Words): ErrorClass[] => (hasPointOfView ? ['NOT_FOUND'] : [])

/** A checked statement and its point of view. */
export interface ReadyStatement extends RunningEngine {
  project: ProjectRecord
  statement: Statement
  /** Digest of all that its rows depend on, but for the snapshot. */
  query: string
  /** Identifies its result. */
  key: string
  point: PointOfView
  /** What failures of its jobs mean; undefined unless the call has pinned the snapshot. */
  pinned: PinnedFailure | undefined
}

/** Does all checks that need no connection: access, the guard, the snapshot, the entity. */
export async function readyStatement(
  context: CallContext,
  params: StatementParams,
  isExport = false,
): Promise<ReadyStatement> {
  const { caller, signal } = context
  const sent = readParameters(params.parameters)
  const set = params.named ? [] : parametersOfKey(caller, sent) // a named query is sent those of the key
  const project = await readableProject(context, params.projectId)
  // Runs while the statement is checked, but an error in the statement takes precedence over NOT_READY.
  const chosen = engineOf(context, project)
  // Such an engine refuses the names in the statement, with an error that would hide this one.
  if (sent.length > 0 && !chosen.engine.takesParameters) throw noParameters(chosen.engine)
  const { organization } = project
  await context.beginStatement(organization, isExport)
  const found = readySnapshot(context, project, params.snapshot)
  found.catch(() => {})
  const asker = { organization, ownerId: caller.ownerId, signal, ...readableOf(caller) }
  const checking = chosen.engine.check(params.sql, asker)
  const checked = await context.phases.of('guard', running(params, context.limits.queryTimeoutMs, checking))
  context.reads({ relations: checked.relations })
  const { parameters: names = [] } = checked
  const used = set.filter(({ name }) => names.some(each => each.toLowerCase() === name))
  const values = [...sent, ...used]
  const given = used.length > 0 ? { ...valuesIn(caller, used), ...params.parameters } : params.parameters
  if (values.length > 0 && !chosen.engine.takesParameters) throw noParameters(chosen.engine)
  const bound = ofNamed(params, () => withValues(checked, values, given))
  const snapshot = await found
  const isPinned = params.snapshot != null
  if (isPinned) checkTables(context.catalogue, snapshot, checked.relations)
  const entityId = params.entityId ?? null
  const rows = seenRows(context.catalogue, caller)
  const seen = rows ? { rows } : {}
  const ownershipView = params.ownershipView ?? 'net'
  const whole = { snapshot, organization, entityId: null, ownershipView, ...seen }
  if (entityId !== null && !(await seesEntity(context, chosen, whole, entityId)))
    throw new AnalyticsError('NOT_FOUND', 'The project has no entity with this id.', {
      data: { path: 'entityId' },
    })
  // A catalogue without a tree has no such param, and its snapshots may have no root.
  const isRoot = !rows && entityId === snapshot.manifest.rootId
  const point = { ...whole, entityId: isRoot ? null : entityId }
  const { projectId, sql } = params
  const text = values.length > 0 ? textOfParameters(values) : ''
  const { relations } = caller.only ?? {}
  const query = queryDigest({ projectId, sql, entityId, ownershipView, values: text, relations, ...seen })
  const pinned = isPinned ? pinnedFailure(context, snapshot) : undefined
  const { name: named, columns } = params.named ?? {}
  const statement = named === undefined ? bound : { ...bound, named, ...(columns ? { columns } : {}) }
  const key = `${snapshot.snapshotId} ${query}`
  return { project, statement, query, key, point, pinned, ...chosen }
}

/** Whether a caller can name an entity: the tree has it, and the caller sees a row of it. */
async function seesEntity(
  context: CallContext,
  { facts }: RunningEngine,
  point: PointOfView,
  entityId: string,
): Promise<boolean> {
  const { catalogue, limits } = context
  const names = point.rows?.limits.map(({ limit }) => limit)
  const tree = catalogue.hierarchy
  if (names === undefined || tree === null) return point.snapshot.hasEntity(entityId)
  // The time of the answer does not tell whether there is such an entity.
  if (whyUnknown(catalogue, tree.table, names) !== null) return false
  return running({ sql: '' }, limits.queryTimeoutMs, facts.seesEntity(point, tree, entityId, context))
}

/** Gives a statement its values. Throws INVALID_PARAMS for one that is missing or that the statement does not use. */
function withValues(
  checked: Statement,
  values: readonly BoundParameter[],
  parameters: StatementParams['parameters'],
): Statement {
  const { parameters: names = [] } = checked
  const missing = names.find(name => values.every(value => value.name !== name.toLowerCase()))
  if (missing !== undefined && parameters === undefined) throw unsent(missing)
  if (missing !== undefined)
    throw parameterError(missing, `The statement names $${missing}, and "parameters" has no value for it.`)
  const unused = values.find(value => names.every(name => value.name !== name.toLowerCase()))
  if (unused)
    throw parameterError(unused.sent, `The statement does not name $${unused.sent}: use it, or leave it out.`)
  return parameters !== undefined && values.length > 0 ? { ...checked, values, sent: parameters } : checked
}

function noParameters({ dialect }: Engine): AnalyticsError {
  return new AnalyticsError(
    'INVALID_PARAMS',
    `The engine of this project, ${dialect}, takes no parameters: write the values into the statement.`,
    { data: { path: 'parameters' } },
  )
}

/** Without the field `parameters`, a statement that has some is refused, as it was before there were any. */
function unsent(name: string): AnalyticsError {
  const hint = `Send its value in the field parameters: {"${name}": …}.`
  return new AnalyticsError(
    'INVALID_QUERY',
    `The statement has the parameter $${name}, and the call has no values. ${hint}`,
    {
      data: { rule: 'construct' satisfies GuardRule, name, hint, path: `parameters.${name}` },
    },
  )
}

/** Values that a key sets, as it has them. */
function valuesIn({ only }: Caller, set: readonly BoundParameter[]): Record<string, ParameterValue> {
  return Object.fromEntries(set.map(({ sent }) => [sent, only?.parameters?.[sent] as ParameterValue]))
}

/** The relations that the statements of a key are limited to, for an {@link Asker}. */
function readableOf({ only }: Caller): Pick<Asker, 'readable'> {
  return only?.relations === undefined ? {} : { readable: only.relations }
}

/** Returns what `read` does; what it throws is a mistake in the SQL if that is of a named query. */
function ofNamed<Value>({ named }: Pick<StatementParams, 'named'>, read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    throw named ? failureOfNamed(named, cause) : cause
  }
}

/**
 * Awaits a job of the engine, and converts its failure to the error for the caller. `pinned` converts first what
 * it means for a pinned snapshot.
 */
export async function running<Value>(
  { sql, named }: Pick<StatementParams, 'sql' | 'named'>,
  budgetMs: number,
  job: Promise<Value>,
  pinned?: PinnedFailure,
): Promise<Value> {
  try {
    return await job
  } catch (thrown) {
    const cause = named ? failureOfNamed(named, thrown) : thrown
    if (cause instanceof RunFailure) throw runError(cause)
    if (!(cause instanceof EngineFailure)) throw cause
    throw (await pinned?.(cause)) ?? callerError(cause, sql, budgetMs)
  }
}

function callerError(failure: EngineFailure, sql: string, budgetMs: number): AnalyticsError {
  const { kind, message, cause } = failure
  switch (kind) {
    case 'query':
    case 'assertion':
      return queryError(failure, sql)
    case 'row-bytes':
      return new AnalyticsError('INVALID_QUERY', message, { data: { rule: 'row-size' satisfies RunRule } })
    case 'timeout':
      return new AnalyticsError(
        'QUERY_TIMEOUT',
        `The query ran longer than ${budgetMs / 1000} seconds. Read fewer rows or aggregate more; a retry takes as long.`,
      )
    case 'memory':
      return new AnalyticsError(
        'QUERY_TOO_LARGE',
        'The query ran out of memory. Read fewer rows or columns, or aggregate earlier; a retry fails the same way.',
        { cause },
      )
    case 'file-bytes':
      return new AnalyticsError('QUERY_TOO_LARGE', message)
    case 'format':
      return new AnalyticsError('INVALID_PARAMS', message, { data: { path: 'format' } })
    case 'relation':
    case 'interrupted':
    case 'fault':
      throw failure
    default:
      return new AnalyticsError('UNAVAILABLE', UNAVAILABLE[kind], { cause: failure })
  }
}

function runError({ kind, cause }: RunFailure): AnalyticsError {
  if (kind === 'gone') return lostRun()
  const data = { rule: 'volatile' satisfies RunRule, hint: RUN_HINT }
  return new AnalyticsError('INVALID_QUERY', RUN_TOO_LARGE, { data, cause })
}

const CANNOT_RUN = 'The service cannot run the query now. Try again later.'
const UNAVAILABLE = {
  'no-connection': 'No connection was free in time. Try again later.',
  building: 'The relations are still being built. Try again in a moment.',
  unbuilt: 'The relations of the query cannot be built now. Try again later.',
  snapshot: 'The latest snapshot of the project cannot be read now.',
  cancelled: CANNOT_RUN,
  disk: CANNOT_RUN,
  view: CANNOT_RUN,
  killed: CANNOT_RUN,
}
const RUN_HINT =
  'Read it with projects/export, aggregate more, or leave out what differs from run to run, such as random().'
const RUN_TOO_LARGE = `The rows differ from run to run and are too many to be kept for later pages. ${RUN_HINT}`

function queryError(failure: EngineFailure, sql: string): AnalyticsError {
  const { offset } = failure
  const place = offset === undefined ? null : locate(sql, offset)
  const at = place ? ` (line ${place.line}, column ${place.column})` : ''
  const isQuotedName = offset !== undefined && Buffer.from(sql)[offset] === DOUBLE_QUOTE
  const hint = isQuotedName ? { hint: "Names stand in double quotes, strings in single ones: 'text'." } : {}
  const message = `The query failed: ${failure.message}${at}${hint.hint ? `. ${hint.hint}` : ''}`
  return new AnalyticsError('INVALID_QUERY', message, {
    data: { rule: 'engine' satisfies RunRule, ...place, ...hint },
  })
}

const DOUBLE_QUOTE = '"'.charCodeAt(0)

/** A named query as it runs for a caller. */
interface NamedRun {
  /** Its name and version. */
  name: string
  /** Columns that it declares: their SQL types by their names. */
  columns: Readonly<Record<string, string>> | undefined
  /** Values that the caller has sent. */
  sent: readonly unknown[]
  /** Whether the key has limits, and so may not read all rows that the query reads. */
  isLimited: boolean
}

/** Rules that are about rows, and not about the SQL of a query. */
const OF_ROWS: ReadonlySet<unknown> = new Set<GuardRule | RunRule>(['row-size', 'volatile'])

/**
 * The failure of a named query as its caller is told it. A query that cannot run, whatever values are sent, is a mistake
 * of the catalogue, and so is one that fails without values of the caller. Other failures stay as they are.
 */
function failureOfNamed(run: NamedRun, thrown: unknown): unknown {
  if (thrown instanceof AnalyticsError) {
    const isOfSql = /^INVALID_(QUERY|PARAMS)$/.test(thrown.class) && !OF_ROWS.has(thrown.data?.rule)
    return isOfSql ? mistakeIn(run, thrown.message, thrown) : thrown
  }
  if (!(thrown instanceof EngineFailure) || (thrown.kind !== 'query' && thrown.kind !== 'assertion'))
    return thrown
  if (thrown.atBinding || run.sent.length === 0)
    return mistakeIn(run, String(thrown.cause ?? thrown.message), thrown)
  const told = run.isLimited ? null : withoutNames(thrown.message, run.sent)
  const message = told === null ? 'The query failed with these values.' : `The query failed: ${told}`
  const data = { rule: 'engine' satisfies RunRule }
  return new AnalyticsError('INVALID_QUERY', message, { data, cause: thrown })
}

function mistakeIn({ name }: NamedRun, said: string, cause: unknown): EngineFailure {
  const told = `The SQL of the query "${name}" of the catalogue cannot run: ${said}`
  return new EngineFailure('relation', told, { cause })
}

const COLUMN = / when casting from source column .*$/s
const QUOTED = /'([^']*)'|"([^"]*)"/g

/** What the engine says, if all that it quotes are values of the caller; null if it may quote the SQL. */
function withoutNames(message: string, sent: readonly unknown[]): string | null {
  const said = message.replace(COLUMN, '')
  const values = new Set(sent.flat(Number.POSITIVE_INFINITY).map(value => String(plain(value))))
  const quoted = [...said.matchAll(QUOTED)].map(([, single, double]) => single ?? double ?? '')
  return quoted.every(text => values.has(text)) ? said : null
}

/** A value without the type that may be sent with it. */
function plain(sent: unknown): unknown {
  return typeof sent === 'object' && sent !== null && 'value' in sent ? sent.value : sent
}
