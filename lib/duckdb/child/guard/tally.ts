import { type Reader, SPLIT } from '../../../guard/refusal.js'
import { MAX_DEPTH, MAX_LAMBDA_DEPTH, MAX_NODES, MAX_STARS, MAX_SUBQUERY_DEPTH } from './bounds.js'

const ARROWS = { hint: "Use json_extract(value, '$.a.b') or name the steps in WITH." }

/** Counts the nodes of a statement during the walk; throws a Refusal at the first bound that they exceed. */
export class Tally {
  readonly #reader: Reader
  #nodes = 0
  #depth = 0
  #lambdas = 0
  #subqueries = 0
  #stars = 0

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Counts a node, whose parts are read before {@link leave}. */
  enter(): void {
    if (++this.#nodes > MAX_NODES) this.#refuse('The statement has too many parts.')
    if (++this.#depth > MAX_DEPTH) this.#refuse('The statement is nested too deeply.')
  }

  leave(): void {
    this.#depth -= 1
  }

  /** Counts an expression of this class, whose parts are read before {@link leaveExpression}. */
  enterExpression(kind: string): void {
    if (kind === 'LAMBDA' && ++this.#lambdas > MAX_LAMBDA_DEPTH)
      this.#refuse(`Lambdas and -> are nested more than ${MAX_LAMBDA_DEPTH} deep.`, ARROWS)
    if (kind === 'SUBQUERY' && ++this.#subqueries > MAX_SUBQUERY_DEPTH)
      this.#refuse(`Subqueries are nested more than ${MAX_SUBQUERY_DEPTH} deep.`)
    if (kind === 'STAR' && ++this.#stars > MAX_STARS)
      this.#refuse(`A statement has at most ${MAX_STARS} stars and COLUMNS.`)
  }

  leaveExpression(kind: string): void {
    if (kind === 'LAMBDA') this.#lambdas -= 1
    if (kind === 'SUBQUERY') this.#subqueries -= 1
  }

  #refuse(message: string, hint = SPLIT): never {
    throw this.#reader.refuse('complexity', message, hint)
  }
}
