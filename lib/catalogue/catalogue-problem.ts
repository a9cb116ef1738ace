/** A mistake in a catalogue. */
export interface CatalogueProblem {
  /** Where it is: `fold "revenue"`, `example 3 ("Which country pays most?")`, `query "revenue@1"`, `measure "revenue" of orders`, `rule 1 (orders.state)` or `hierarchy`. */
  place: string
  /** What is wrong and what to write instead, in English. */
  message: string
}

/** The part of a catalogue that a problem is about. */
export type ProblemKind = 'sql' | 'reads' | 'columns' | 'measure' | 'rule' | 'example' | 'query'

/** A problem, as those who tell its kinds apart have it. */
export interface FoundProblem extends CatalogueProblem {
  kind: ProblemKind
}
