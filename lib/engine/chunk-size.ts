/** The size and the cost of a page or chunk. */
export interface Pace {
  rows: number
  bytes: number
  ms: number
}

/** A chunk aims for 16 times the bytes of the last page or chunk, but at least 2 MiB and at most 128 MiB. */
const LARGER = 16
const LEAST_BYTES = 2 * 1024 ** 2
/** A chunk whose rows become longer ends there. */
export const MOST_BYTES = 128 * 1024 ** 2
/**
 * Chunks that end after so many rows come from the whole result in one order, others from what the engine finds soonest:
 * the first rows of a large result cost it less than sorting all of them.
 */
export const STABLE_FROM_ROWS = 50_000
/** Lower bound of the time per row: the difference of two measurements can be 0 or negative. */
const LEAST_MS_OF_ROW = 1e-6
/** Share of a call's time limit that a chunk may be expected to take. */
const SHARE_OF_TIME = 0.7

/**
 * Rows of the next chunk, limited by its bytes and its time; the time per row is the slope between two paces.
 */
export function rowsOfChunk([last, before]: readonly Pace[], timeoutMs: number): number {
  if (!last || last.rows === 0) return 0
  const bytes = Math.max(LEAST_BYTES, Math.min(LARGER * last.bytes, MOST_BYTES))
  const [rows, ms] =
    before && before.rows !== last.rows
      ? [last.rows - before.rows, last.ms - before.ms]
      : [last.rows, last.ms]
  const msOfRow = Math.max(LEAST_MS_OF_ROW, ms / rows)
  const inTime = last.rows + (timeoutMs * SHARE_OF_TIME - last.ms) / msOfRow
  return Math.floor(Math.min((bytes / Math.max(1, last.bytes)) * last.rows, inTime))
}

/** Most rows of the next chunk after one of `rows` rows has failed. */
export function fewerRows(rows: number): number {
  return Math.floor(rows / LARGER)
}
