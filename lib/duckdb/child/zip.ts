import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib'
import { fileTooLarge } from './copy.js'

/** Most bytes of the archive, and of each file in it: some readers do not know the larger numbers of Zip64. */
export const MAX_FILE_BYTES = 0xffffffff
const VERSION = 20
/** Names are UTF-8. */
const FLAGS = 0x0800
const DEFLATED = 8
/** 1980-01-01, the first day that the format can hold. */
const DATE = 0x0021

/** A file in the archive. */
interface Entry {
  name: Buffer
  /** Position of its header. */
  offset: number
  crc: number
  bytes: number
  deflated: number
}

/** Where the archive goes, and when to stop. */
export interface ZipTarget {
  path: string
  maxBytes: number
  signal: AbortSignal
}

/**
 * Writes a ZIP archive, file after file, each in parts as they come. The packages that do so compute the checksum in
 * JavaScript, with which a million rows take a third longer, and put the sizes after the content.
 */
export class ZipWriter {
  readonly #handle: FileHandle
  readonly #target: ZipTarget
  readonly #entries: Entry[] = []
  #current: { entry: Entry; deflate: DeflateRaw; piped: Promise<void> } | null = null
  #written = 0

  private constructor(handle: FileHandle, target: ZipTarget) {
    this.#handle = handle
    this.#target = { ...target, maxBytes: Math.min(target.maxBytes, MAX_FILE_BYTES) }
  }

  static async create(target: ZipTarget): Promise<ZipWriter> {
    return new ZipWriter(await open(target.path, 'w'), target)
  }

  /** Begins a file; {@link write} then takes its content. */
  async begin(name: string): Promise<void> {
    const entry = { name: Buffer.from(name), offset: this.#written, crc: 0, bytes: 0, deflated: 0 }
    await this.#append(header(entry))
    const deflate = createDeflateRaw({ level: 1 })
    const piped = pipeline(
      deflate,
      async parts => {
        for await (const part of parts) {
          entry.deflated += part.length
          await this.#append(part)
        }
      },
      { signal: this.#target.signal },
    )
    piped.catch(() => {}) // awaited by write() and finish()
    this.#current = { entry, deflate, piped }
  }

  /** Adds to the content of the file; resolves when the next part may follow. */
  async write(part: Uint8Array): Promise<void> {
    const { entry, deflate, piped } = this.#file
    entry.crc = crc32(part, entry.crc)
    entry.bytes += part.length
    if (entry.bytes > MAX_FILE_BYTES) throw fileTooLarge(MAX_FILE_BYTES)
    if (!deflate.write(part)) await Promise.race([once(deflate, 'drain'), piped])
  }

  /** Ends the file. */
  async finish(): Promise<void> {
    const { entry, deflate, piped } = this.#file
    deflate.end()
    await piped
    this.#current = null
    this.#entries.push(entry)
    // Whoever reads the archive as a stream needs the sizes before the content.
    const known = header(entry)
    await this.#handle.write(known, 0, known.length, entry.offset)
  }

  /** Adds a whole file. */
  async add(name: string, content: string): Promise<void> {
    await this.begin(name)
    await this.write(Buffer.from(content))
    await this.finish()
  }

  /** Ends the archive and returns its size. */
  async end(): Promise<number> {
    const start = this.#written
    const directory = this.#entries.map(entry => {
      const rest = [
        [4, 0],
        [4, 0],
        [4, 0],
        [4, entry.offset],
      ] as const // no comment, disk or attributes
      return Buffer.concat([record(0x02014b50, [[2, VERSION], ...fields(entry), ...rest]), entry.name])
    })
    await this.#append(Buffer.concat(directory))
    const count = this.#entries.length
    const place = [
      [4, 0],
      [2, count],
      [2, count],
      [4, this.#written - start],
      [4, start],
      [2, 0],
    ] as const
    await this.#append(record(0x06054b50, place))
    await this.close()
    return this.#written
  }

  /** Closes the file, finished or not. */
  async close(): Promise<void> {
    this.#current?.deflate.destroy()
    await this.#current?.piped.catch(() => {})
    this.#current = null
    await this.#handle.close()
  }

  get #file() {
    if (!this.#current) throw new Error('no file has begun')
    return this.#current
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#written += bytes.length
    if (this.#written > this.#target.maxBytes) throw fileTooLarge(this.#target.maxBytes)
    await this.#handle.writeFile(bytes)
  }
}

/** A number and how many bytes it takes. */
type Field = readonly [width: 2 | 4, value: number]

function header(entry: Entry): Buffer {
  return Buffer.concat([record(0x04034b50, [...fields(entry), [2, 0]]), entry.name])
}

/** What the header of a file and its line in the directory share. */
function fields({ name, crc, deflated, bytes }: Entry): Field[] {
  const sizes = [crc, deflated, bytes].map(value => [4, value] as const)
  return [[2, VERSION], [2, FLAGS], [2, DEFLATED], [2, 0], [2, DATE], ...sizes, [2, name.length]]
}

function record(signature: number, values: readonly Field[]): Buffer {
  const all: readonly Field[] = [[4, signature], ...values]
  const bytes = Buffer.alloc(all.reduce((sum, [width]) => sum + width, 0))
  let at = 0
  for (const [width, value] of all) at = bytes.writeUIntLE(value, at, width)
  return bytes
}
