/** Groups items by key, in their order. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** Indexes items by a unique key; throws if a key occurs twice. */
export function indexBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item> {
  const index = new Map<string, Item>()
  for (const item of items) {
    const key = keyOf(item)
    if (index.has(key)) throw new RangeError(`${key} comes twice`)
    index.set(key, item)
  }
  return index
}

/** What rows are ordered by. */
export type Key = (string | number)[]

/** Groups rows by a key, in the order of the keys. */
export function sums<Item>(items: readonly Item[], keyOf: (item: Item) => Key): [Key, Item[]][] {
  const groups = groupBy(items, item => JSON.stringify(keyOf(item)))
  return sorted([...groups.values()], group => keyOf(group[0] as Item)).map(group => [keyOf(group[0] as Item), group])
}

/** Adds up one amount per item. */
export function total<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + amountOf(item), 0)
}

/** Orders items by their keys, part by part. */
export function sorted<Item>(items: readonly Item[], keyOf: (item: Item) => Key): Item[] {
  const compare = (a: Key, b: Key) => {
    const at = a.findIndex((part, index) => part !== b[index])
    return at < 0 ? 0 : (a[at] as string) < (b[at] as string) ? -1 : 1
  }
  return [...items].sort((a, b) => compare(keyOf(a), keyOf(b)))
}
