import type { ChildProcess } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { deserialize, serialize } from 'node:v8'
import { type Allowance, Breach, type Frame, FrameReader, frameOf } from './frames.js'

/** The descriptor of the channel in a process that the host has started: a socket that it has with its host alone. */
export const CHANNEL = 3

/** What one end of a channel does. */
export interface ChannelOptions {
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
