import type { JobFailure } from './jobs.js'

/** Why a job in an engine process gave nothing. */
export type FailureKind = JobFailure['kind'] | 'timeout' | 'no-connection' | 'cancelled'

/** What is said of a row that no page can hold; `offset` is its place from 0. */
export function rowTooLarge(offset: number, rowBytes: number): string {
  return `Row ${offset + 1} is larger than ${rowBytes} bytes as JSON. Select fewer or shorter columns.`
}

/** A job that failed; which class a caller is told is for the method to say. */
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
