/** What the user asked for cannot be done as asked; the message says what to change. It is shown as it is. */
export class Refusal extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options)
    this.name = 'Refusal'
  }
}

/** Handles a failure: `value` stands for a refusal, anything else is thrown on. */
export function ifRefused<Value>(value: Value): (cause: unknown) => Value {
  return cause => {
    if (cause instanceof Refusal) return value
    throw cause
  }
}
