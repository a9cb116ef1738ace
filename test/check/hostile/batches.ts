import type { EdgeCall } from './calls.js'

/** Calls per statement. */
const TOGETHER = 40
/** Calls that use up the memory or the time of a statement, so that none shares it with another call. */
const EXHAUSTING = /^(array_resize|bitstring|generate_series|list_resize|lpad|range|repeat|rpad)\(a0(, a\d)*\)$/

/** Splits calls by the statement that contains them: those of a statement are over the same columns, and either all or none of them aggregates. */
export function batchesOf(calls: readonly EdgeCall[]): EdgeCall[][] {
  const batches: EdgeCall[][] = []
  const open = new Map<string, EdgeCall[]>()
  for (const call of calls) {
    const isAlone = EXHAUSTING.test(call.expression)
    const shared = JSON.stringify([call.isAggregate, ...call.columns])
    const begun = isAlone ? undefined : open.get(shared)
    if (begun && begun.length < TOGETHER) begun.push(call)
    else {
      const batch = [call]
      batches.push(batch)
      if (!isAlone) open.set(shared, batch)
    }
  }
  return batches
}

/** Both halves of a batch, to find the call for which the whole fails. */
export function halvesOf<Item>(batch: readonly Item[]): [Item[], Item[]] {
  const middle = Math.ceil(batch.length / 2)
  return [batch.slice(0, middle), batch.slice(middle)]
}

/** Works on every batch, on at most `atOnce` at the same time. */
export async function forEachBatch<Batch>(
  batches: readonly Batch[],
  atOnce: number,
  work: (batch: Batch) => Promise<void>,
): Promise<void> {
  const left = [...batches]
  const caller = async () => {
    for (let batch = left.shift(); batch !== undefined; batch = left.shift()) await work(batch)
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
}
