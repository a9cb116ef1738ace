import type { Parse } from './check.js'

/** Parses all texts of one turn together; if that fails, one by one, so that only those at fault fail. */
export function parsingTogether(parseAll: (texts: readonly string[]) => Promise<string[]>): Parse {
  type Pair = [string, string]
  let waiting: { texts: Pair; resolve(trees: Pair): void; reject(cause: unknown): void }[] = []
  const parse = async () => {
    const asked = waiting
    waiting = []
    try {
      const trees = await parseAll(asked.flatMap(({ texts }) => texts))
      for (const [index, { resolve }] of asked.entries())
        resolve(trees.slice(2 * index, 2 * index + 2) as Pair)
    } catch (cause) {
      const [first, ...more] = asked
      if (more.length === 0) first?.reject(cause)
      else
        for (const { texts, resolve, reject } of asked)
          await parseAll(texts).then(own => resolve(own as Pair), reject)
    }
  }
  return texts =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(() => void parse())
      waiting.push({ texts, resolve, reject })
    })
}
