import type { ChildProcess } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { deserialize, serialize } from 'node:v8'

/**
 * A message between the host and a process of its own: the length of the rest in four bytes, its kind in one, the
 * length of its JSON in four, the JSON, and further bytes. Numbers are little-endian.
 */
export interface Frame {
  kind: number
  /** The value of the JSON; undefined when the message has no JSON. */
  head: unknown
  /** The bytes after the JSON. */
  body: Buffer
}

/** What a host tells its process: a job, that it should stop, and that it should say something. */
export const TO_PROCESS = { job: 1, interrupt: 2, ask: 3 } as const

/**
 * What a process tells its host: that it takes jobs, is there, has taken a job, what it holds after one, that it ends
 * itself, what has become of the job, and what it has made so far.
 */
export const FROM_PROCESS = {
  ready: 1,
  here: 2,
  taken: 3,
  held: 4,
  recycled: 5,
  done: 6,
  failed: 7,
  made: 8,
} as const

/** What a process sent that no process of ours sends at that point; `message` is for the host's log. */
export class Breach extends Error {}

/** Bytes that a frame may have, or a sentence about why none may come now. */
export type Allowance = { head: number; body: number } | string

const LENGTH_BYTES = 4
const PREFIX_BYTES = LENGTH_BYTES + 1 + 4
const NOTHING = Buffer.alloc(0)

/** The bytes of a frame, in one part or two: a long body is not copied. */
export function frameOf(kind: number, head: unknown, body: Uint8Array = NOTHING): Uint8Array[] {
  const json = head === undefined ? '' : JSON.stringify(head)
  const headBytes = Buffer.byteLength(json)
  const isShort = body.length < MOST_COPIED
  const first = Buffer.allocUnsafe(PREFIX_BYTES + headBytes + (isShort ? body.length : 0))
  first.writeUInt32LE(PREFIX_BYTES - LENGTH_BYTES + headBytes + body.length)
  first.writeUInt8(kind, LENGTH_BYTES)
  first.writeUInt32LE(headBytes, LENGTH_BYTES + 1)
  first.write(json, PREFIX_BYTES)
  if (!isShort) return [first, body]
  first.set(body, PREFIX_BYTES + headBytes)
  return [first]
}

const MOST_COPIED = 16 * 1024

/** Reads frames from the bytes of a channel. Nothing of a frame is kept before it is known to be allowed. */
export class FrameReader {
  readonly #allows: (kind: number) => Allowance
  #parts: Buffer[] = []
  #bytes = 0
  /** Bytes of the frame that is coming; null until its prefix is there. */
  #wanted: number | null = null

  /** `allows` is asked when a frame begins. */
  constructor(allows: (kind: number) => Allowance) {
    this.#allows = allows
  }

  /** Takes bytes, and yields the frames that are complete. Throws a {@link Breach}. */
  *take(bytes: Buffer): Generator<Frame> {
    for (let rest = bytes; rest.length > 0; ) {
      const wanted = this.#wanted ?? PREFIX_BYTES
      const part = rest.subarray(0, wanted - this.#bytes)
      rest = rest.subarray(part.length)
      this.#parts.push(part)
      this.#bytes += part.length
      if (this.#bytes < wanted) return
      const whole = this.#joined()
      this.#wanted ??= this.#lengthOf(whole)
      if (this.#bytes < this.#wanted) continue
      yield this.#complete(whole)
    }
  }

  #joined(): Buffer {
    const [first = NOTHING, ...more] = this.#parts
    const whole = more.length === 0 ? first : Buffer.concat(this.#parts, this.#bytes)
    this.#parts = [whole]
    return whole
  }

  /** Length of the frame whose prefix is there. */
  #lengthOf(prefix: Buffer): number {
    const kind = prefix.readUInt8(LENGTH_BYTES)
    const allowed = this.#allows(kind)
    if (typeof allowed === 'string') throw new Breach(allowed)
    const headBytes = prefix.readUInt32LE(LENGTH_BYTES + 1)
    const bodyBytes = prefix.readUInt32LE() - (PREFIX_BYTES - LENGTH_BYTES) - headBytes
    if (bodyBytes < 0) throw new Breach('it sent a message that is shorter than its own parts')
    if (headBytes > allowed.head || bodyBytes > allowed.body)
      throw new Breach(
        `it sent a message of kind ${kind} with ${headBytes} and ${bodyBytes} bytes; at most ${allowed.head} and ${allowed.body} may come`,
      )
    return PREFIX_BYTES + headBytes + bodyBytes
  }

  #complete(whole: Buffer): Frame {
    const end = PREFIX_BYTES + whole.readUInt32LE(LENGTH_BYTES + 1)
    this.#parts = []
    this.#bytes = 0
    this.#wanted = null
    return {
      kind: whole.readUInt8(LENGTH_BYTES),
      head: end === PREFIX_BYTES ? undefined : parse(whole.toString('utf8', PREFIX_BYTES, end)),
      body: whole.subarray(end),
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Breach('it sent a message whose JSON cannot be read')
  }
}

/** The descriptor of the channel in a process that the host has started: a socket that it has with its host alone. */
export const CHANNEL = 3

/** What one end of a channel does. */
interface ChannelOptions {
  /** Bytes that a frame of a kind may have now, or why none may come; see {@link FrameReader}. */
  allows(kind: number): Allowance
  /** Called with each frame. What it throws ends the channel. */
  hear(frame: Frame): void
  /** Called once when the other end sent what it may not; nothing is heard after that. */
  breached(breach: Breach): void
  /** Called once, when the other end is gone. */
  closed(): void
}

/**
 * One end of the channel between the host and a process of its own. Received data stays bytes until each message is
 * found to be one that may come now: Node's own channel ends the host when a process sends it something else.
 */
export class Channel {
  readonly #writing: Writable
  readonly #socket: Socket | null
  #isOver = false

  private constructor(reading: Readable, writing: Writable, socket: Socket | null, options: ChannelOptions) {
    this.#writing = writing
    this.#socket = socket
    const frames = new FrameReader(kind => options.allows(kind))
    reading.on('data', (bytes: Buffer) => {
      if (this.#isOver) return
      try {
        for (const frame of frames.take(bytes)) options.hear(frame)
      } catch (cause) {
        this.#isOver = true
        // Whatever a message makes the host throw, it is the process that ends.
        options.breached(
          cause instanceof Breach ? cause : new Breach(`its message was not understood: ${cause}`),
        )
      }
    })
    const close = () => {
      this.#isOver = true
      options.closed()
    }
    reading.once('close', close)
    for (const each of new Set([reading, writing])) each.on('error', () => {}) // it is gone, and `close` follows
  }

  /** The host's end of the channel of a process that was started with one. */
  static to(child: ChildProcess, options: ChannelOptions): Channel {
    const socket = child.stdio[CHANNEL] as Socket
    return new Channel(socket, socket, socket, options)
  }

  /** The end of this process, which its host has started with one. */
  static toHost(hear: (frame: Frame) => void, closed: () => void): Channel {
    const options = { allows: () => UNBOUNDED, hear, breached: closed, closed }
    // Bun has no sockets of descriptors.
    if ('bun' in process.versions) {
      const [reading, writing] = [
        createReadStream('', { fd: CHANNEL }),
        createWriteStream('', { fd: CHANNEL }),
      ]
      return new Channel(reading, writing, null, options)
    }
    const socket = new Socket({ fd: CHANNEL, readable: true, writable: true })
    return new Channel(socket, socket, socket, options)
  }

  /** Sends a frame. Does nothing once the other end is gone. */
  send(kind: number, head?: unknown, body?: Uint8Array): void {
    if (this.#isOver) return
    const parts = frameOf(kind, head, body)
    const isInParts = parts.length > 1
    if (isInParts) this.#writing.cork()
    for (const part of parts) this.#writing.write(part)
    if (isInParts) this.#writing.uncork()
  }

  /** Sends a value as a structured clone, with its bytes and large whole numbers, to a process that trusts its host. */
  sendClone(kind: number, value: unknown): void {
    this.send(kind, undefined, serialize(value))
  }

  /** Whether this process stays alive for the channel. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#socket?.ref()
    else this.#socket?.unref()
  }
}

/** A process trusts its host. */
const UNBOUNDED = { head: Infinity, body: Infinity }

/** The value in a frame of {@link Channel.sendClone}. Only a process reads one: its host does not trust it. */
export function cloneIn({ body }: Frame): unknown {
  return deserialize(body)
}
