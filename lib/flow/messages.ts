import { choice, count, object, type Schema } from '../schema.js'

const heldBytes = count('Memory that it holds beyond what it had mapped before its first job.')

/** What a process holds after a job. */
export const HELD = object({ heldBytes }, 'What a process holds after a job.')

/** What a process has made so far. */
export const MADE = object(
  { rows: count('Rows that it has written.') },
  'What a process has made of its job so far.',
)

/** Why a process that did not fail ends. */
export const RECYCLED = object(
  { reason: choice(['memory-limit', 'memory-kept'], 'Why it should serve no further job.'), heldBytes },
  'Why a process ends itself.',
)

/** Values of a schema as they come from JSON, in which nothing is undefined. */
export type FromJson<Value> = Value extends readonly unknown[]
  ? Value
  : { [Key in keyof Value]: Exclude<Value[Key], undefined> }

/** What a job yields when it does not fail. */
export interface Outcome<Value> {
  /** What its JSON is. */
  schema: Schema<Value>
  /** Most bytes of that JSON. Default: 4 MiB. */
  headBytes?: number
  /** Most bytes that come with it, as they are. Default: no body may come. */
  bodyBytes?: number
  /** What the schema cannot tell, such as that there is one value for each of the job's. Default: nothing. */
  holds?(value: Value, bytes: Buffer): boolean
}

/** Most bytes of the JSON of an outcome, or of a failure, unless its job says otherwise. */
export const HEAD_BYTES = 4 * 1024 ** 2
