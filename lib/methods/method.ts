import type { Catalogue } from '../catalogue/catalogue.js'
import type { Engine } from '../engine/engine.js'
import type { ErrorClass } from '../errors.js'
import type { LimitName, Limits } from '../options.js'
import type { Ports } from '../port-calls.js'
import type { Caller, Clock } from '../ports.js'
import type { Results } from '../results/results.js'
import type { JsonSchema, Schema } from '../schema.js'
import type { Signer } from '../signer.js'
import type { SnapshotReader } from '../snapshots/reader.js'
import type { UnsentBytes } from '../unsent.js'
import type { Work } from '../work.js'

/** What every call of every method has at hand. */
export interface Core {
  baseUrl: string
  catalogue: Catalogue
  clock: Clock
  engine: Engine
  limits: Limits
  ports: Ports
  results: Results
  signer: Signer
  snapshots: SnapshotReader
  unsent: UnsentBytes
}

/** One call, authenticated. */
export interface CallContext extends Core, Work {
  caller: Caller
}

/** What a method gives: its result, and what it counts for in the usage of the key. */
export interface MethodOutcome {
  result: unknown
  rows: number
  bytes: number
}

/** A method: all that entry points and descriptions know of it. */
export interface Method<Params = unknown> {
  name: string
  summary: string
  description: string
  stability: 'experimental' | 'stable' | 'deprecated'
  /** What a key must be able to read for this method; null: any key that holds will do. */
  scope: 'projectAnalytics' | null
  /** Has a `title`, the name of its type. */
  params: Schema<Params>
  /** REST callers may leave the body out. */
  paramsOptional: boolean
  /** Classes that it answers beside those of every call. */
  errors: readonly ErrorClass[]
  /** Limits that callers of this method run into. */
  limits: readonly LimitName[]
  /** JSON Schema of the result, its `title` the name of its type. */
  result: JsonSchema
  /** A call that works on any catalogue, given the project, and what it answers. */
  example: { params: Readonly<Record<string, unknown>>; result: unknown }
  run(params: Params, context: CallContext): Promise<MethodOutcome>
}

/** Keeps the type of the params between the schema and the code that reads them. */
export function defineMethod<Params>(method: Method<Params>): Method {
  return method as Method
}

/** The project of the examples. */
export const EXAMPLE_PROJECT = '5f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20'

/** Classes that every call can answer, before its method runs. */
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
