/** Reads pages one after the other, each after the last item of the one before, until one is not full. */
export async function* inPages<Item>(
  most: number,
  read: (after: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<Item, void> {
  let after: Item | undefined
  do {
    const page: readonly Item[] = await read(after)
    yield* page
    after = page.length === most ? page.at(-1) : undefined
  } while (after !== undefined)
}

/** Maps each item that is iterated over. */
export async function* mapped<Item, Mapped>(
  items: AsyncIterable<Item>,
  map: (item: Item) => Mapped,
): AsyncGenerator<Mapped, void> {
  for await (const item of items) yield map(item)
}
