/** Kinds of hints that a statement can deserve. */
export const KINDS = [
  ...(['value', 'range', 'join', 'unit', 'additive', 'null', 'midnight', 'order'] as const),
  ...(['limit', 'truncation', 'view'] as const),
]
export type Kind = (typeof KINDS)[number]

export type Cell = string | number | boolean | null
/** The values of a row, in the order of the columns of the careful statement. */
export type GoldenRow = readonly Cell[]

/** A question over a catalogue whose rows are `Data`. */
export interface Question<Data> {
  id: string
  question: string
  /** The entity that the question looks from. Default: the root, or none in catalogues without a tree. */
  entityId?: string
  /** Whether the order of the rows is part of the answer. */
  isOrdered?: true
  /** A statement that is right, and deserves no hint. */
  careful: string
  /** A statement that somebody in a hurry writes: it runs, and its rows are others. */
  hurried?: string
  /** The hint that the hurried statement deserves. */
  kind?: Kind
  /** The right rows, computed without an engine from the rows that were sealed. */
  golden(data: Data): readonly GoldenRow[]
}
