/** A mistake in a catalogue. */
export interface CatalogueProblem {
  /** Where it is: `fold "revenue"`, `example 3 ("Which country pays most?")`, `rule 1 (orders.state)` or `hierarchy`. */
  place: string
  /** What is wrong and what to write instead, in English. */
  message: string
}
