import type { JsonList } from '../call/json-parts.js'
import type { LimitName, Limits } from '../call/limits.js'
import type { Ports } from '../call/port-calls.js'
import type { AskedCall } from '../call/running.js'
import type { Signer } from '../call/signer.js'
import type { UnsentBytes } from '../call/unsent.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { Engines } from '../engine/engines.js'
import type { Engine } from '../engine/port.js'
import { AnalyticsError, type ErrorClass } from '../errors.js'
import type { AnalyticsEvent } from '../events.js'
import type { ExportQuota } from '../exports/quota.js'
import type { Work } from '../flow/work.js'
import type { JsonSchema, TypedSchema } from '../json-schema.js'
import type { Warning } from '../model.js'
import type { Caller, Clock } from '../ports.js'
import type { Schema } from '../schema.js'
import type { Snapshot } from '../snapshots/manifest.js'
import type { NewerSnapshots } from '../snapshots/newer.js'
import type { SnapshotReader } from '../snapshots/reader.js'
import type { Words } from '../words.js'

/** What all calls share. */
export interface Core {
  baseUrl: string
  catalogue: Catalogue
  clock: Clock
  engines: Engines
  exportQuota: ExportQuota
  limits: Limits
  newer: NewerSnapshots
  onEvent: (event: AnalyticsEvent) => void
  ports: Ports
  signer: Signer
  snapshots: SnapshotReader
  unsent: UnsentBytes
  words: Words
}

/** What the rows of a page depend on, unless they differ from run to run: the same page has the same rows. */
export interface PageIdentity {
  snapshot: Snapshot
  engine: Engine
  /** Digest of the statement and its point of view. */
  query: string
  offset: number
  limit: number
  /** Most bytes of its rows as JSON. */
  pageBytes: number
}

/** Context of an authenticated call. */
export interface CallContext extends Core, Work {
  caller: Caller
  /** As the caller can read it. */
  catalogue: Catalogue
  /** Whether the caller has a page already. It is not computed then, and its result is empty. */
  has(page: PageIdentity): boolean
  /** Lets a statement over projects of an organization run, if its budget does: RATE_LIMITED or UNAVAILABLE otherwise. */
  beginStatement(organization: string, isExport: boolean): Promise<void>
  /** Takes what the call reads, as soon as that is known. */
  reads(found: Partial<Pick<AskedCall, 'organization' | 'snapshotId' | 'relations' | 'exportId'>>): void
}

/** A value of which lists may be JSON already. */
export type Encoded<Value> = { [Key in keyof Value]: Value[Key] | JsonList }

/** The result of a method, with the rows and bytes that count in the usage of the key. */
export interface MethodOutcome<Result = unknown> {
  /** Without members when the caller has the page already. */
  result: Encoded<Result> | Record<string, never>
  rows: number
  bytes: number
  /** What the caller should know of the result. */
  warnings?: readonly Warning[]
  /** Names of the columns of a page without rows, for entry points that can send them beside the result. */
  columns?: readonly string[] | undefined
  /** The snapshot that was read, for entry points that can name it beside the result. */
  snapshot?: Snapshot | undefined
}

/** What an entry point makes of results beyond sending them as JSON. */
export interface EntryPoint {
  /** Whether the caller has a page already. Default: no caller has any. */
  has?(page: PageIdentity): boolean
  /** Writes the bytes to send in place of the result, if there are any. An error that it throws fails the call. */
  encode?(outcome: MethodOutcome): Uint8Array | undefined
}

/** A method, as entry points and descriptions use it. */
export interface Method<Params = unknown, Result = unknown> {
  name: string
  summary: string
  description: string
  stability: 'experimental' | 'stable' | 'deprecated'
  /** What the key must be allowed to read; null: any valid key may call the method. */
  scope: 'projectAnalytics' | null
  /** Its `title` is the name of its type. */
  params: Schema<Params>
  /** Whether REST callers may omit the body. */
  paramsOptional: boolean
  /** Failure classes besides {@link COMMON_ERRORS}. */
  errors: readonly ErrorClass[]
  /** Limits that apply to its calls. */
  limits: readonly LimitName[]
  /** Whether it returns pages of rows. */
  hasRows?: boolean
  /** JSON Schema of the result; its `title` is the name of its type. */
  result: JsonSchema
  /** A call that works with any catalogue if the project exists, and its result. */
  example: { params: Readonly<Record<string, unknown>>; result: unknown }
  run(params: Params, context: CallContext): Promise<MethodOutcome<Result>>
}

/** Makes a method whose params and result have the types of their schemas. */
export function defineMethod<Params, Result>(
  defined: Omit<Method<Params, Result>, 'result'> & { result: TypedSchema<Result> },
): Method<Params, Result> {
  return { ...defined, result: defined.result.json }
}

/** The failure of a call that the limits of its key exclude. */
export function cannotCall(): AnalyticsError {
  return new AnalyticsError('FORBIDDEN', 'The key cannot call this method.')
}

/** Id of the project in the examples. */
export const EXAMPLE_PROJECT = '5f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20'

/** Failure classes of every call, whatever its method. */
export const COMMON_ERRORS: readonly ErrorClass[] = [
  'PARSE_ERROR',
  'INVALID_REQUEST',
  'METHOD_NOT_FOUND',
  'INVALID_PARAMS',
  'INTERNAL',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'UNAVAILABLE',
]
