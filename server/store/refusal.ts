/** What the user asked for cannot be done as asked; the message says what to change. It is shown as it is. */
export class Refusal extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options)
    this.name = 'Refusal'
  }
}
