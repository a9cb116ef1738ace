import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'

/**
 * Thrown for a path that leads to something else than a regular file, or for a file that changes while it is
 * read.
 */
export class UnusableFile extends Error {
  readonly #rest: string

  /** `rest` is what follows the subject of the sentence, as in "is a socket: remove it". */
  constructor(rest: string) {
    super(`it ${rest}`)
    this.#rest = rest
  }

  /** The message with the name of the file as its subject. */
  about(name: string): string {
    return `${name} ${this.#rest}`
  }
}

/** A regular file that is open for reading, and its size when it was opened. */
export interface RegularFile {
  handle: FileHandle
  bytes: number
}

/** Without following a link, and without waiting for the writer of a named pipe. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const CHUNK_BYTES = 1024 ** 2
const ADVICE = 'put a regular file in its place'

/**
 * Opens a regular file. Throws an {@link UnusableFile} for anything else, such as a device or a named pipe,
 * whose reading may never end, and for a symbolic link, which may lead to a file that is not meant.
 */
export async function openRegular(path: string): Promise<RegularFile> {
  refuseOthers(await lstat(path)) // some devices act when they are opened
  const handle = await open(path, FLAGS).catch(cause => {
    if ((cause as NodeJS.ErrnoException).code === 'ELOOP')
      throw new UnusableFile(`is a symbolic link: ${ADVICE}`)
    throw cause
  })
  try {
    const found = await handle.stat() // another file may have taken its place
    refuseOthers(found)
    return { handle, bytes: found.size }
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

function refuseOthers(found: Stats): void {
  if (found.isFile()) return
  const kind = found.isSymbolicLink()
    ? 'a symbolic link'
    : found.isDirectory()
      ? 'a folder'
      : found.isFIFO()
        ? 'a named pipe'
        : found.isSocket()
          ? 'a socket'
          : 'a device'
  throw new UnusableFile(`is ${kind}: ${ADVICE}`)
}

/**
 * Reads a file from its start, 1 MiB at a time. Throws an {@link UnusableFile} when it has grown or shrunk
 * meanwhile.
 */
export async function* chunksOf(
  { handle, bytes }: RegularFile,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    signal?.throwIfAborted()
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - at + 1)) // with a byte more than there should be
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at)
    at += bytesRead
    const isEnd = bytesRead === 0
    if (at > bytes || (isEnd && at < bytes))
      throw new UnusableFile('has changed while it was read: try again when it is complete')
    if (isEnd) return
    yield chunk.subarray(0, bytesRead)
  }
}

/**
 * Opens a regular file, and closes it once its last chunk was taken; see {@link openRegular} and {@link
 * chunksOf}.
 */
export async function* readInChunks(path: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const file = await openRegular(path)
  try {
    yield* chunksOf(file, signal)
  } finally {
    await file.handle.close()
  }
}

/**
 * Reads a whole regular file, as {@link readInChunks} does. Throws an {@link UnusableFile} beyond
 * `mostBytes`.
 */
export async function readRegular(path: string, mostBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const file = await openRegular(path)
  try {
    if (file.bytes > mostBytes)
      throw new UnusableFile(
        `is larger than ${Math.floor(mostBytes / 1024 ** 2)} MiB: it is not what it should be`,
      )
    const chunks: Buffer[] = []
    for await (const chunk of chunksOf(file)) chunks.push(chunk)
    return Buffer.concat(chunks)
  } finally {
    await file.handle.close()
  }
}

/** SHA-256 of a regular file, in hex. */
export async function digestOfFile(path: string, signal?: AbortSignal): Promise<string> {
  return digestOfChunks(readInChunks(path, signal))
}

/** SHA-256 of what is read in chunks, in hex. */
export async function digestOfChunks(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}
