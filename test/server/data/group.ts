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
