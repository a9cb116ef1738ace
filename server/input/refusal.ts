/**
 * Thrown when a request cannot be carried out. The message says what to change, and users see it as it is.
 */
export class Refusal extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options)
    this.name = 'Refusal'
  }
}

/** Returns a handler for `catch` that turns a Refusal into `value` and rethrows anything else. */
export function ifRefused<Value>(value: Value): (cause: unknown) => Value {
  return cause => {
    if (cause instanceof Refusal) return value
    throw cause
  }
}
