import { clip, type Reader } from '../../../guard/refusal.js'
import { lowerAscii } from './scope.js'
import type { Node } from './shapes.js'

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/
const HINT = 'Write $name, and send its value in the field parameters.'

/** The parameters of a statement. */
export class Parameters {
  /** By what the engine, which ignores case, takes for the same name. */
  readonly #names = new Map<string, string>()
  /** PIVOTs whose values are being read. */
  #pivots = 0

  /** Their names, as each is written first. */
  get names(): string[] {
    return [...this.#names.values()]
  }

  read(reader: Reader, { identifier }: Node): void {
    const name = String(identifier)
    if (/^\d+$/.test(name))
      throw reader.refuse('construct', 'Parameters have names, not numbers.', { hint: HINT })
    if (!NAME.test(name))
      throw reader.refuse('construct', 'The name of a parameter is one to 63 letters, digits and _.', {
        hint: HINT,
      })
    if (this.#pivots > 0)
      throw reader.refuse('construct', 'The values of a PIVOT must be literals.', {
        name: clip(name),
        hint: 'Write them out, or aggregate with FILTER (WHERE column = $value).',
      })
    if (!this.#names.has(lowerAscii(name))) this.#names.set(lowerAscii(name), name)
  }

  /** The engine makes columns of the values of a PIVOT when it binds, and the bounds on their number count literals. */
  inPivot(read: () => void): void {
    this.#pivots += 1
    read()
    this.#pivots -= 1
  }
}
