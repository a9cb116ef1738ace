import type { JobFailure } from './jobs.js'

/** Why the engine gave nothing: in a job, or before one could run. */
export type FailureKind =
  | JobFailure['kind']
  | 'timeout'
  | 'no-connection'
  | 'cancelled'
  /** The relations are still being built. */
  | 'building'
  /** They cannot be built. */
  | 'unbuilt'
  /** The rows of a run are too many to be kept, or are not kept any more. */
  | 'run-too-large'
  | 'run-gone'

/** What is said of a row that no page can hold; `offset` is its place from 0. */
export function rowTooLarge(offset: number, rowBytes: number): string {
  return `Row ${offset + 1} is larger than ${rowBytes} bytes as JSON. Select fewer or shorter columns.`
}

/** All that the engine throws; which class a caller is told is for the methods to say. */
export class EngineFailure extends Error {
  readonly kind: FailureKind
  /** Byte offset in the statement. */
  readonly offset: number | undefined
  /** It took the process with it. */
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

/** Nobody wants the outcome any more. */
export function cancelled(): EngineFailure {
  return new EngineFailure('cancelled', 'The caller has left.')
}
