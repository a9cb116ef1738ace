import type { JobFailure } from './jobs.js'

/** Why the engine returned nothing: a job failed, or none could run. */
export type FailureKind =
  | JobFailure['kind']
  | 'timeout'
  | 'no-connection'
  | 'cancelled'
  /** The relations are still being built. */
  | 'building'
  /** They cannot be built. */
  | 'unbuilt'
  /** The rows of a run are too many to be kept, or are no longer kept. */
  | 'run-too-large'
  | 'run-gone'

/** Message for a row larger than `rowBytes`; `offset` counts rows from 0. */
export function rowTooLarge(offset: number, rowBytes: number): string {
  return `Row ${offset + 1} is larger than ${rowBytes} bytes as JSON. Select fewer or shorter columns.`
}

/** What the engine throws; `methods/statement.ts` maps each kind to the error class that callers see. */
export class EngineFailure extends Error {
  readonly kind: FailureKind
  /** Byte offset in the statement. */
  readonly offset: number | undefined
  /** Whether the worker ended with the job. */
  readonly processDied: boolean

  constructor(
    kind: FailureKind,
    text: string,
    options: { offset?: number | undefined; cause?: unknown; processDied?: boolean } = {},
  ) {
    super(text, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = kind
    this.offset = options.offset
    this.processDied = options.processDied ?? false
  }
}

/** The failure of work whose outcome is no longer wanted. */
export function cancelled(): EngineFailure {
  return new EngineFailure('cancelled', 'The caller has left.')
}
