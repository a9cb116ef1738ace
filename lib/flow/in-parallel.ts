/**
 * Runs work for each item, at most `atOnce` at a time. Returns the results in the order of the items. Throws the first
 * failure once all work under way has ended, and begins no more.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  atOnce = 4,
): Promise<Result[]> {
  const left = [...items.entries()]
  const results: Result[] = []
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      try {
        results[next[0]] = await work(next[1])
      } catch (cause) {
        left.length = 0
        throw cause
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, lane))
  for (const each of lanes) if (each.status === 'rejected') throw each.reason
  return results
}
