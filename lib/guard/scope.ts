/** A common table expression as seen from below. */
interface CommonTable {
  /** Table references that naming it stands for, its own included. */
  references: number
  /** It is the recursive one whose body is being read. */
  self: boolean
}

/** Lower case for A to Z alone, as the engine folds names: anything wider would let a look-alike pass for a name. */
export function fold(name: string): string {
  return name.replace(/[A-Z]/g, letter => letter.toLowerCase())
}

/**
 * The common table expressions in lexical scope. A CTE sees those before it in the same WITH and those of the queries
 * around it; it never sees itself, but for the right arm of a recursive one. Nothing leaks out of a query.
 */
export class Scope {
  readonly #outer: Scope | null
  readonly #tables = new Map<string, CommonTable>()
  readonly #announced = new Set<string>()

  constructor(outer: Scope | null) {
    this.#outer = outer
  }

  define(name: string, references: number, self = false): void {
    this.#tables.set(fold(name), { references, self })
  }

  /** Says that the WITH of this query defines the name, so a use that comes too early can be told from a typo. */
  announce(name: string): void {
    this.#announced.add(fold(name))
  }

  /** The name is a common table expression, though not one that is visible yet. */
  announces(name: string): boolean {
    return this.#announced.has(fold(name)) || (this.#outer?.announces(name) ?? false)
  }

  /** All names that are visible here. */
  names(): string[] {
    return [...this.#tables.keys(), ...(this.#outer?.names() ?? [])]
  }

  find(name: string): CommonTable | null {
    return this.#tables.get(fold(name)) ?? this.#outer?.find(name) ?? null
  }
}
