import { MAX_TABLE_REFERENCES } from './bounds.js'
import { nearest } from './nearest.js'
import { clip, type Reader, SPLIT } from './refusal.js'
import { fold, Scope } from './scope.js'
import type { Node } from './shapes.js'

const DESCRIBE = 'projects/describe lists the relations of the catalogue.'
const EARLY =
  'A name of WITH is known to what comes after its definition; one that reads itself needs WITH RECURSIVE and UNION.'

/** What the names in FROM mean: a common table expression in scope, else a relation of the catalogue, else nothing. */
export class Relations {
  /** Relations of the catalogue that were named. */
  readonly named = new Set<string>()
  readonly #catalogue: ReadonlySet<string>
  readonly #reader: Reader
  #scope = new Scope(null)
  #references = 0

  constructor(catalogue: ReadonlySet<string>, reader: Reader) {
    this.#catalogue = catalogue
    this.#reader = reader
  }

  /** What is defined within `read` ends with it. */
  nested(read: () => void): void {
    const outer = this.#scope
    this.#scope = new Scope(outer)
    read()
    this.#scope = outer
  }

  /** The WITH being read defines these names, whether or not they are visible yet. */
  announce(names: readonly string[]): void {
    for (const name of names) this.#scope.announce(name)
  }

  /** Defines a common table expression by the body that `read` goes through; it is visible from then on. */
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

  /** A reference to a relation by name. */
  use(node: Node): void {
    const name = String(node.table_name)
    const common = this.#scope.find(name)
    const qualifier = [node.catalog_name, node.schema_name].filter(Boolean).join('.')
    const known = common !== null || this.#catalogue.has(fold(name))
    if (qualifier !== '' && !(common?.self && fold(qualifier) === 'recurring'))
      throw this.#reader.refuse('relation', 'Relations are written without a schema or a database.', {
        name: clip(`${qualifier}.${name}`),
        hint: known ? `Write "${clip(name)}" alone.` : DESCRIBE,
      })
    if (!known)
      throw this.#reader.refuse('relation', `There is no relation "${clip(name)}".`, {
        name: clip(name),
        hint: this.#scope.announces(name) ? EARLY : this.#suggestion(name),
      })
    this.count(common?.references)
    if (!common) this.named.add(fold(name))
  }

  /** Counts what stands in FROM; a common table expression stands for all that its body names. */
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
    const near = nearest(fold(name), [...this.#scope.names(), ...this.#catalogue])
    return near ? `Did you mean "${near}"?` : DESCRIBE
  }
}
