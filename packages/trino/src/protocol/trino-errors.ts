import { EngineFailure, type FailureKind } from 'foldgate/engine'

/** The error of a query as Trino's statement protocol reports it. */
export interface TrinoError {
  message: string
  errorName: string
  errorType: string
  errorLocation?: { lineNumber: number; columnNumber: number }
  failureInfo?: Thrown
}

/** An exception, and the one that has caused it. */
type Thrown = { type: string; message?: string; cause?: Thrown }

/** The parts of a request that its failure depends on: errors point into the statement, after so many lines. */
interface FailedRequest {
  statement?: string
  linesBefore?: number
  schema?: string
}

/** Errors that are not what their type says. */
const BY_NAME: Readonly<Record<string, FailureKind>> = {
  EXCEEDED_TIME_LIMIT: 'timeout',
  EXCEEDED_CPU_LIMIT: 'timeout',
  QUERY_QUEUE_FULL: 'no-connection',
  QUERY_REJECTED: 'disk', // the cluster lacks a resource group for us
  INVALID_SESSION_PROPERTY: 'disk',
  CATALOG_NOT_AVAILABLE: 'disk',
  MISSING_CATALOG_NAME: 'disk',
  MISSING_SCHEMA_NAME: 'disk',
  INVALID_VIEW: 'view',
  VIEW_IS_STALE: 'view',
  VIEW_IS_RECURSIVE: 'view',
  USER_CANCELED: 'disk', // by somebody else: ours is reported as what ended it
  ADMINISTRATIVELY_KILLED: 'disk',
  ADMINISTRATIVELY_PREEMPTED: 'disk',
  NO_NODES_AVAILABLE: 'disk',
  REMOTE_TASK_ERROR: 'disk',
  REMOTE_TASK_MISMATCH: 'disk',
  REMOTE_TASK_FAILED: 'disk',
  REMOTE_HOST_GONE: 'disk',
  TASK_FAILURE: 'disk',
  PAGE_TRANSPORT_ERROR: 'disk',
  PAGE_TRANSPORT_TIMEOUT: 'disk',
  TOO_MANY_REQUESTS_FAILED: 'disk',
  ABANDONED_QUERY: 'disk',
  ABANDONED_TASK: 'disk',
  CLUSTER_HAS_TOO_MANY_RUNNING_QUERIES: 'disk',
  SERVER_SHUTTING_DOWN: 'disk',
  SERVER_STARTING_UP: 'disk',
  STACK_OVERFLOW: 'query',
}

/** What the other errors of a type are. `EXTERNAL` are faults of storage. */
const BY_TYPE: Readonly<Record<string, FailureKind>> = {
  USER_ERROR: 'query',
  INSUFFICIENT_RESOURCES: 'memory',
  INTERNAL_ERROR: 'assertion',
  EXTERNAL: 'disk',
}

/** Errors of storage that a removed or damaged file causes. */
const OF_FILES =
  /^(ICEBERG|HIVE|PARQUET)_(CANNOT_OPEN_SPLIT|MISSING_DATA|BAD_DATA|INVALID_METADATA|CURSOR_ERROR|FILE_NOT_FOUND)$/

const CANNOT_ANSWER = 'The engine cannot run this statement. Write it another way.'
/** Messages for callers, instead of those of Trino that tell of the cluster. */
const MESSAGES: Partial<Record<FailureKind, string>> = {
  timeout: 'The query was stopped.',
  memory: 'The query ran out of memory.',
  assertion: CANNOT_ANSWER,
  'no-connection': 'Too many queries wait.',
}
const S3_SETTINGS = 'fs.native-s3.enabled, s3.endpoint, s3.region, s3.aws-access-key and s3.aws-secret-key'
const CANNOT_RUN = 'The cluster cannot run the query.'
const MAX_TEXT = 600

/** The failure that an error of Trino is. Another schema than that of the request is the caller's mistake. */
export function failureOf(error: TrinoError, request: FailedRequest = {}): EngineFailure {
  const { statement = '', linesBefore = 0, schema = '' } = request
  const { errorName, errorType, message } = error
  const bucket = errorType === 'USER_ERROR' ? null : bucketProblem(error)
  if (bucket) return new EngineFailure('disk', CANNOT_RUN, { cause: new Error(bucket) })
  const isGone = OF_FILES.test(errorName) || (errorName === 'SCHEMA_NOT_FOUND' && message.includes(schema))
  const kind = isGone ? 'view' : (BY_NAME[errorName] ?? BY_TYPE[errorType] ?? 'disk')
  const cause = new Error(`${errorName}: ${clip(message)}`)
  if (kind !== 'query') return new EngineFailure(kind, MESSAGES[kind] ?? CANNOT_RUN, { cause })
  const offset = offsetOf(error, statement, linesBefore)
  if (errorName === 'PERMISSION_DENIED')
    return new EngineFailure(kind, 'The statement reads what a query may not read', { offset, cause })
  return new EngineFailure(kind, readable(message), { offset, cause })
}

/** What the operator does when the cluster cannot use a bucket. What the client of S3 says may quote what it has sent. */
function bucketProblem({ errorName, message, failureInfo }: TrinoError): string | null {
  let thrown = failureInfo
  while (thrown && !/^software\.amazon\.awssdk\./.test(thrown.type)) thrown = thrown.cause
  if (!thrown && !/No factory for location: s3/.test(message)) return null
  const why =
    /Status Code: \d+/.exec(thrown?.message ?? '')?.[0] ?? thrown?.type.split('.').at(-1) ?? 'no file system'
  return `${errorName}: the cluster cannot use the bucket (${why}): check ${S3_SETTINGS} of its catalog`
}

/**
 * An error's text without its place, and without the names of catalogs and schemas, which callers do not
 * know.
 */
function readable(message: string): string {
  const text = message
    .replace(/^line \d+:\d+: /, '')
    .replace(/(\b|")[\w-]+"?\."?\w*(?:[sbp]_[0-9a-f]{16})"?\./g, '')
  return OWN_SCHEMA.test(text) ? CANNOT_ANSWER : clip(text.replace(/\.$/, ''))
}

/** The name of a schema that is not before a relation. */
const OWN_SCHEMA = /[sbp]_[0-9a-f]{16}/

/** The first characters, without half a surrogate pair at the end. */
function clip(text: string): string {
  return text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')
}

/**
 * The byte offset of a place, whose columns count characters from 1. Undefined when it is outside of the
 * statement.
 */
function offsetOf({ errorLocation }: TrinoError, statement: string, linesBefore: number): number | undefined {
  if (!errorLocation) return undefined
  const lines = statement.split('\n')
  const line = errorLocation.lineNumber - 1 - linesBefore
  const text = lines[line]
  if (text === undefined) return undefined
  const before = [...text].slice(0, errorLocation.columnNumber - 1).join('')
  return Buffer.byteLength([...lines.slice(0, line), before].join('\n'))
}

/** The coordinator does not answer, or not as the protocol says. */
export function coordinatorAway(cause: unknown): EngineFailure {
  return new EngineFailure('disk', 'The coordinator does not answer.', { cause })
}

/** A statement ran out of time after a worker that ran it was lost. */
export function workerLost(cause: unknown): EngineFailure {
  return new EngineFailure('disk', 'A worker of the cluster was lost.', { cause })
}
