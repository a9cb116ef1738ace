/** A DECIMAL; its values are integers, to be divided by 10 to the power of `scale`. */
export interface DecimalType {
  /** Tells it from other types. */
  kind: 'decimal'
  /** Most digits, 1 to 38. */
  width: number
  /** Digits after the point. */
  scale: number
}

/** An integer: a bigint only when a number cannot hold it exactly. */
export type Integer = number | bigint

/** Parts of an interval, each with its own sign. */
export interface Interval {
  /** Months. */
  months: number
  /** Days. */
  days: number
  /** Microseconds. */
  micros: Integer
}

/** A time of day in microseconds, and its offset from UTC in seconds. */
export interface TimeWithZone {
  /** Microseconds since midnight. */
  micros: number
  /** Seconds east of UTC. */
  offset: number
}

/** Bytes from `from` to `to`, reused by the vector for the next value. */
export interface Slice {
  bytes: Uint8Array
  from: number
  to: number
}

/**
 * A value of a scalar type. Integers, decimals, dates (days since 1970), times, and timestamps (since 1970,
 * in the unit of the type) are {@link Integer}s; strings, BLOB and BIT are slices; a UUID is its text.
 */
export type Value = Integer | boolean | string | Slice | Interval | TimeWithZone

/** Values of one column, or of a part of nested values. */
export interface Vector {
  isNull(index: number): boolean
  /** A scalar that is not NULL; of a union, the number of the member that it holds. */
  value(index: number): Value
  /**
   * Its integers, decimals or dates, at their indexes; where there is a NULL, any number. Null if a double does not hold
   * each exactly, for a part of nested values, and for other types.
   */
  readonly numbers: Float64Array | null
  /** Where the items of a list, array or map begin in its children. */
  start(index: number): number
  /** Where they end. */
  end(index: number): number
  /** Items of a list or array; keys and values of a map; fields of a struct; members of a union. */
  readonly children: readonly Vector[]
}

/** Spells a scalar in ASCII. */
export type Spelling = (value: never, type: DecimalType) => string
