/** Pairs of a held entity and its holder, both as numbers, a few thousand pairs at a time. */
type Pairs = AsyncIterable<readonly [held: readonly number[], holders: readonly number[]]>

/**
 * Finds numbers below `count` that hold each other in a cycle; null when there are none. Numbers without a
 * holder are settled first, then each number whose holders are all settled. Unsettled numbers lie on a cycle
 * or below one. Takes about 20 bytes per number and 16 per pair.
 */
export async function findCycle(count: number, pairs: Pairs): Promise<number[] | null> {
  const [held, holder] = await collect(pairs)
  const open = new Int32Array(count)
  for (const one of held) open[one] = at(open, one) + 1
  const below = grouped(count, holder)
  const settled = new Int32Array(count)
  let last = 0
  for (let one = 0; one < count; one++) if (at(open, one) === 0) settled[last++] = one
  for (let next = 0; next < last; next++) {
    const one = at(settled, next)
    for (let pair = at(below.starts, one); pair < at(below.starts, one + 1); pair++) {
      const other = at(held, at(below.pairs, pair))
      open[other] = at(open, other) - 1
      if (open[other] === 0) settled[last++] = other
    }
  }
  return last === count ? null : walkUp(open, held, holder)
}

/** Walks from an unsettled number up through unsettled holders until a number repeats; returns that cycle. */
function walkUp(open: Int32Array, held: Int32Array, holder: Int32Array): number[] {
  const up = new Int32Array(open.length)
  for (let pair = held.length - 1; pair >= 0; pair--)
    if (at(open, at(holder, pair)) > 0) up[at(held, pair)] = at(holder, pair)
  const place = new Map<number, number>()
  let one = open.findIndex(holders => holders > 0)
  for (; !place.has(one); one = at(up, one)) place.set(one, place.size)
  return [...place.keys()].slice(place.get(one))
}

/** Indexes of pairs by their number: the pairs of `n` are at `starts[n]` up to, but excluding, `starts[n + 1]`. */
function grouped(count: number, of: Int32Array): { starts: Int32Array; pairs: Int32Array } {
  const starts = new Int32Array(count + 1)
  for (const one of of) starts[one + 1] = at(starts, one + 1) + 1
  for (let one = 0; one < count; one++) starts[one + 1] = at(starts, one + 1) + at(starts, one)
  const next = starts.slice()
  const pairs = new Int32Array(of.length)
  for (let pair = 0; pair < of.length; pair++) {
    const one = at(of, pair)
    pairs[at(next, one)] = pair
    next[one] = at(next, one) + 1
  }
  return { starts, pairs }
}

async function collect(pairs: Pairs): Promise<[Int32Array, Int32Array]> {
  const parts: Int32Array[][] = []
  for await (const [held, holders] of pairs) parts.push([Int32Array.from(held), Int32Array.from(holders)])
  const length = parts.reduce((sum, [part]) => sum + (part?.length ?? 0), 0)
  const whole = (side: number) => {
    const all = new Int32Array(length)
    let end = 0
    for (const part of parts) {
      all.set(part[side] as Int32Array, end)
      end += (part[side] as Int32Array).length
    }
    return all
  }
  return [whole(0), whole(1)]
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] as number
}
