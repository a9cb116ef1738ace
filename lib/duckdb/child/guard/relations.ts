import { clip, type NodeReader, SPLIT } from '../../../guard/refusal.js'
import { nearest } from '../../../values/nearest.js'
import { identifier } from '../../../values/quote.js'
import { MAX_TABLE_REFERENCES } from './bounds.js'
import { lowerAscii, type Node } from './shapes.js'

/** A common table expression, as the queries in its scope see it. */
interface CommonTable {
  /** Table references that one use of its name expands to, including that use. */
  references: number
  /** Whether this is the recursive CTE whose right arm is being read. */
  self: boolean
}

/**
 * The common table expressions in lexical scope. A CTE sees the CTEs before it in the same WITH and those of
 * enclosing queries. Only the right arm of a recursive CTE sees the CTE itself. No name is visible outside
 * its query.
 */
class Scope {
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

const DESCRIBE = 'projects/describe lists the relations of the catalogue.'
const EARLY =
  'A name of WITH is known to what comes after its definition; one that reads itself needs WITH RECURSIVE and UNION.'

/** Resolves names in FROM to a common table expression in scope, else to a relation of the catalogue. */
export class NamedRelations {
  /** Relations of the catalogue that the statement names. */
  readonly named = new Set<string>()
  readonly #catalogue: ReadonlySet<string>
  readonly #reader: NodeReader
  #scope = new Scope(null)
  #references = 0

  constructor(catalogue: ReadonlySet<string>, reader: NodeReader) {
    this.#catalogue = catalogue
    this.#reader = reader
  }

  /** Runs `read` in a new scope; names that it defines are gone afterwards. */
  nested(read: () => void): void {
    const outer = this.#scope
    this.#scope = new Scope(outer)
    read()
    this.#scope = outer
  }

  /** Records the names that the WITH being read defines, before they become visible. */
  announce(names: readonly string[]): void {
    for (const name of names) this.#scope.announce(name)
  }

  /**
   * Reads the body of a CTE with `read`, then makes its name visible. References in the body count at each
   * use.
   */
  define(name: string, read: () => void): void {
    const before = this.#references
    read()
    this.#scope.define(name, this.#references - before + 1)
    this.#references = before
  }

  /** Makes a recursive common table expression visible to its own right arm. */
  defineRecurring(name: string): void {
    this.#scope.define(name, 1, true)
  }

  /** Resolves a table reference; refuses unknown and qualified names. */
  use(node: Node): void {
    const name = String(node.table_name)
    const common = this.#scope.find(name)
    const qualifier = [node.catalog_name, node.schema_name].filter(Boolean).join('.')
    const known = common !== null || this.#catalogue.has(lowerAscii(name))
    if (qualifier !== '' && !(common?.self && lowerAscii(qualifier) === 'recurring'))
      throw this.#reader.refuse('relation', 'Relations are written without a schema or a database.', {
        name: clip(`${qualifier}.${name}`),
        hint: known ? `Write ${identifier(clip(name))} alone.` : DESCRIBE,
      })
    if (!known)
      throw this.#reader.refuse('relation', `There is no relation "${clip(name)}".`, {
        name: clip(name),
        hint: this.#scope.announces(name) ? EARLY : this.#suggestion(name),
      })
    this.count(common?.references)
    if (!common) this.named.add(lowerAscii(name))
  }

  /** Counts table references; a use of a common table expression counts all references in its body. */
  count(references = 1): void {
    this.#references += references
    if (this.#references > MAX_TABLE_REFERENCES)
      throw this.#reader.refuse(
        'complexity',
        'The statement names too many relations, those within its WITH included.',
        SPLIT,
      )
  }

  #suggestion(name: string): string {
    const near = nearest(lowerAscii(name), [...this.#scope.names(), ...this.#catalogue])
    return near ? `Did you mean ${identifier(near)}?` : DESCRIBE
  }
}
