import type { Catalogue } from '../catalogue/catalogue.js'
import type { Ports } from '../dependencies.js'
import type { Engine } from '../engine/engine.js'
import type { ErrorClass } from '../errors.js'
import type { Limits } from '../options.js'
import type { Caller, Clock } from '../ports.js'
import type { Schema } from '../schema.js'
import type { Seal } from '../seal.js'
import type { SnapshotReader } from '../snapshots/reader.js'

/** What every call of every method has at hand. */
export interface Core {
  baseUrl: string
  catalogue: Catalogue
  clock: Clock
  engine: Engine
  limits: Limits
  ports: Ports
  seal: Seal
  snapshots: SnapshotReader
}

/** One call, authenticated. */
export interface CallContext extends Core {
  caller: Caller
  /** Fires when the caller has left. */
  signal: AbortSignal
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
  params: Schema<Params>
  /** REST callers may leave the body out. */
  paramsOptional: boolean
  /** Classes that it answers beside those of every call. */
  errors: readonly ErrorClass[]
  run(params: Params, context: CallContext): Promise<MethodOutcome>
}

/** Keeps the type of the params between the schema and the code that reads them. */
export function defineMethod<Params>(method: Method<Params>): Method {
  return method as Method
}

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
