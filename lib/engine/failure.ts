import { TimeIsOver } from '../flow/waiting.js'

/** Why an engine returned nothing: a job failed, or none could run. */
export type FailureKind =
  /** The statement fails as it is written or on its rows: INVALID_QUERY, with the message of the failure. */
  | 'query'
  /** It needs more memory than there is: QUERY_TOO_LARGE. */
  | 'memory'
  /** It ran longer than `timeoutMs`: QUERY_TIMEOUT. */
  | 'timeout'
  /** A row is larger than `limits.rowBytes`: INVALID_QUERY, with the message of the failure. */
  | 'row-bytes'
  /** A file would be larger than `limits.exportBytes`, or than what a chunk may have: QUERY_TOO_LARGE. */
  | 'file-bytes'
  /** A package that the format of the file needs is not installed: INVALID_PARAMS. */
  | 'format'
  /** No connection was free in time: UNAVAILABLE, like all kinds below up to `cancelled`. */
  | 'no-connection'
  /** The relations are still being built. */
  | 'building'
  /** They cannot be built. */
  | 'unbuilt'
  /** A built relation is gone or damaged. */
  | 'view'
  /** A stored table of the snapshot is gone or damaged, or the snapshot has none of that name. */
  | 'snapshot'
  /** A file of the host cannot be read or written, or a service that the engine needs does not answer. */
  | 'disk'
  /** Others than the engine and the statement ended its process, and that of a second try. */
  | 'killed'
  /** The outcome is no longer wanted. */
  | 'cancelled'
  /** An assertion inside the engine failed on the statement: INVALID_QUERY. */
  | 'assertion'
  /**
   * The engine refuses the catalogue's SQL of a relation or a named query, which the message names, until the snapshot
   * changes: INTERNAL.
   */
  | 'relation'
  /** A bug: INTERNAL. */
  | 'interrupted'
  | 'fault'

/** What an engine throws. Callers see the message of the kinds that are about their statement or its rows. */
export class EngineFailure extends Error {
  /** The kind of failure, which decides what the caller is told. */
  readonly kind: FailureKind
  /** Byte offset in the statement. */
  readonly offset: number | undefined
  /** Whether the statement was refused before any of it ran. */
  readonly atBinding: boolean
  /** Whether the worker ended with the job. */
  readonly processDied: boolean

  constructor(
    kind: FailureKind,
    text: string,
    options: {
      offset?: number | undefined
      cause?: unknown
      atBinding?: boolean | undefined
      processDied?: boolean
    } = {},
  ) {
    super(text, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.offset = options.offset
    this.atBinding = options.atBinding ?? false
    this.processDied = options.processDied ?? false
  }
}

/**
 * The failure of work whose outcome is no longer wanted.
 *
 * @returns The failure, of the kind `cancelled`. The caller throws this error.
 *
 * @example
 * ```ts
 * const onlyIfWanted = ({ signal }: { signal: AbortSignal }) => {
 *   if (signal.aborted) throw cancelled()
 * }
 * ```
 */
export function cancelled(): EngineFailure {
  return new EngineFailure('cancelled', 'The caller has left.')
}

/** Throws the failure of a wait for a connection that has ended with this cause. */
export function noConnection(cause: unknown): never {
  if (cause instanceof EngineFailure) throw cause
  throw cause instanceof TimeIsOver
    ? new EngineFailure('no-connection', 'No connection was free in time.', { cause })
    : cancelled()
}

/**
 * Message for a row larger than `rowBytes`; `offset` counts rows from 0.
 *
 * @example
 * ```ts
 * const tooLarge = new EngineFailure('row-bytes', rowTooLarge(41, 4_194_304))
 * ```
 */
export function rowTooLarge(offset: number, rowBytes: number): string {
  return `Row ${offset + 1} is larger than ${rowBytes} bytes as JSON. Select fewer or shorter columns.`
}

/**
 * Why a result that differs from run to run has no page: its rows are too many to be kept, or are kept no
 * longer.
 */
export class RunFailure extends Error {
  readonly kind: 'too-large' | 'gone'

  constructor(kind: RunFailure['kind'], cause?: unknown) {
    super(`the rows of a run are ${kind}`, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}
