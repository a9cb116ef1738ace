/** A common table expression, as the queries in its scope see it. */
interface CommonTable {
  /** Table references that one use of its name expands to, including that use. */
  references: number
  /** Whether this is the recursive CTE whose right arm is being read. */
  self: boolean
}

/**
 * Lower-cases A to Z only, as the engine folds names: full Unicode folding would let a look-alike match a
 * name.
 */
export function lowerAscii(name: string): string {
  return name.replace(/[A-Z]/g, letter => letter.toLowerCase())
}

/**
 * The common table expressions in lexical scope. A CTE sees the CTEs before it in the same WITH and those of
 * enclosing queries. Only the right arm of a recursive CTE sees the CTE itself. No name is visible outside
 * its query.
 */
export class Scope {
  readonly #outer: Scope | null
  readonly #tables = new Map<string, CommonTable>()
  readonly #announced = new Set<string>()

  constructor(outer: Scope | null) {
    this.#outer = outer
  }

  define(name: string, references: number, self = false): void {
    this.#tables.set(lowerAscii(name), { references, self })
  }

  /**
   * Records that the WITH of this query defines the name, to tell a use before the definition from a typo.
   */
  announce(name: string): void {
    this.#announced.add(lowerAscii(name))
  }

  /** Whether a WITH in scope defines the name, even if it is not visible yet. */
  announces(name: string): boolean {
    return this.#announced.has(lowerAscii(name)) || (this.#outer?.announces(name) ?? false)
  }

  /** All names visible here. */
  names(): string[] {
    return [...this.#tables.keys(), ...(this.#outer?.names() ?? [])]
  }

  find(name: string): CommonTable | null {
    return this.#tables.get(lowerAscii(name)) ?? this.#outer?.find(name) ?? null
  }
}
