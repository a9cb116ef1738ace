import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'

/** Several pieces or rows, one after the other: an array, a generator, a stream of Node or of the web. */
export type Supply<Item> = Iterable<Item> | AsyncIterable<Item>

/** A supply that is being read. */
export interface OpenSupply<Item> {
  /** The next item; no promise when it is there already. */
  next(): IteratorResult<Item> | Promise<IteratorResult<Item>>
  /** Ends the supply, unless it has ended. Settles when the supply has released its resources. */
  close(): Promise<void>
}

const READ_ALREADY = 'the source was read already: make a new one for each table and each sealing'

/** Supplies that have nothing left once they were read, such as generators and streams. */
const spent = new WeakSet<object>()

/**
 * Returns a function that begins to read a supply, and that throws the second time. When the signal fires, the
 * supply is ended; a step under way is not waited for.
 */
export function readOnce<Item>(supply: Supply<Item>): (signal: AbortSignal) => OpenSupply<Item> {
  let isRead = false
  return signal => {
    if (isRead || spent.has(supply)) throw new Error(READ_ALREADY)
    isRead = true
    signal.throwIfAborted()
    return begin(supply, signal)
  }
}

function begin<Item>(supply: Supply<Item>, signal: AbortSignal): OpenSupply<Item> {
  if (supply instanceof Readable && (supply.readableDidRead || supply.destroyed))
    throw new Error(READ_ALREADY)
  if (supply instanceof ReadableStream && supply.locked) throw new Error(READ_ALREADY)
  // Destroying a stream of Node ends a step under way, which the iterator of a stream of the web does not.
  const stream = supply instanceof ReadableStream ? Readable.fromWeb(supply, ONE_AHEAD) : supply
  const iterator = iteratorOf<Item>(stream)
  if ((iterator as unknown) === supply || stream instanceof Readable) spent.add(supply)
  let isOver = false
  const end = async () => {
    if (isOver) return
    isOver = true
    if (stream instanceof Readable) stream.destroy()
    await iterator.return?.()
  }
  const abort = () => void end().catch(() => {}) // the reading has failed already, for a reason that is told
  signal.addEventListener('abort', abort, { once: true })
  const settled = (result: IteratorResult<Item>) => {
    if (result.done) isOver = true
    return result
  }
  return {
    next() {
      const result = iterator.next()
      return 'then' in result ? Promise.resolve(result).then(settled) : settled(result)
    },
    async close() {
      signal.removeEventListener('abort', abort)
      await end()
    },
  }
}

const ONE_AHEAD = { objectMode: true, highWaterMark: 1 }

function iteratorOf<Item>(supply: Supply<Item>): Iterator<Item> | AsyncIterator<Item> {
  return Symbol.asyncIterator in supply ? supply[Symbol.asyncIterator]() : supply[Symbol.iterator]()
}

/** Whether a value can be read one item after the other. */
export function isSupply(value: unknown): value is Supply<unknown> {
  return (
    typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  )
}
