import { isUtf8 } from 'node:buffer'
import { BACKSLASH, QUOTE } from './json-reader.js'
import { UnwritableValue } from './types.js'
import type { Slice } from './vector.js'

/** Message for a string that is not valid UTF-8, which would make the whole answer unreadable. */
export const NOT_UTF8 = 'A string of the result is not valid UTF-8.'

/** Thrown when an {@link Output} is longer than its `most`. */
export class OutputFull extends Error {}

const FIRST_BYTES = 64 * 1024
const [ZERO, MINUS, POINT] = [0x30, 0x2d, 0x2e]
const LARGEST_INT32 = 2 ** 31 - 1
/** Digits of a number that are written as an int32, and the numbers that have at most as many. */
const [LOW_DIGITS, LOW_NUMBERS] = [9, 1e9]
/** Most characters of a whole number that a double holds exactly. */
const MOST_CHARACTERS = 17
/** Powers of ten up to the largest scale of a decimal of 64 bits. */
const POWERS = Array.from({ length: 19 }, (_, scale) => 10 ** scale)
/** The length of longer strings is measured before they are written. */
const LONG_BYTES = 1024
const HEX = Buffer.from('0123456789ABCDEF')
const LETTER_U = 0x75
/** Per byte of a JSON string: 0 to write it as it is, else the letter after its backslash. */
const ESCAPES = new Uint8Array(256)
ESCAPES.fill(LETTER_U, 0, 0x20)
for (const [code, letter] of [
  [8, 'b'],
  [9, 't'],
  [10, 'n'],
  [12, 'f'],
  [13, 'r'],
] as const)
  ESCAPES[code] = letter.charCodeAt(0)
ESCAPES[QUOTE] = QUOTE
ESCAPES[BACKSLASH] = BACKSLASH

/**
 * Bytes that writers append to. Every value of a text format passes through {@link Output.take}, which checks
 * UTF-8.
 */
export class Output {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #at = 0
  /** Where {@link OutputFull} is thrown; writing may go past it by less than one value. */
  most = Number.MAX_SAFE_INTEGER

  /** Bytes written since the last `take`. */
  get length(): number {
    return this.#at
  }

  /** Removes the bytes after a `length`. */
  cutTo(length: number): void {
    this.#at = length
  }

  /** A view of what was written from one `length` to another, valid until the next byte is written. */
  view(from = 0, to = this.#at): Buffer {
    return this.#bytes.subarray(from, to)
  }

  /**
   * Removes all bytes and returns them, once they are known to be UTF-8; the buffer is valid until the next byte is
   * written.
   */
  take(): Buffer {
    const written = this.view()
    if (!isUtf8(written)) throw new UnwritableValue(NOT_UTF8)
    this.#at = 0
    return written
  }

  byte(byte: number): void {
    if (this.#at === this.#bytes.length) this.#grow(1)
    this.#bytes[this.#at++] = byte
  }

  /** Writes ASCII. */
  ascii(text: string): void {
    const { length } = text
    if (this.#at + length > this.#bytes.length) this.#grow(length)
    const bytes = this.#bytes
    let at = this.#at
    if (length > 32) at += bytes.write(text, at, 'latin1')
    else for (let index = 0; index < length; index++) bytes[at++] = text.charCodeAt(index)
    this.#at = at
  }

  /** Writes a whole number that a double holds exactly, with at least `least` digits. */
  integer(value: number, least = 1): void {
    const most = MOST_CHARACTERS + least
    if (this.#at + most > this.#bytes.length) this.#grow(most)
    if (value < 0) this.#bytes[this.#at++] = MINUS
    const size = Math.abs(value)
    const high = size > LARGEST_INT32 ? Math.floor(size / LOW_NUMBERS) : 0
    if (high > 0) this.#digits(high, least - LOW_DIGITS)
    this.#digits(size - high * LOW_NUMBERS, high > 0 ? LOW_DIGITS : least)
  }

  /** Writes a decimal, with at least one digit before the point; a double holds its `digits` exactly. */
  decimal(digits: number, scale: number): void {
    if (scale === 0) {
      this.integer(digits)
      return
    }
    if (digits < 0) this.byte(MINUS)
    const size = Math.abs(digits)
    const power = POWERS[scale] as number
    const whole = Math.floor(size / power)
    this.integer(whole)
    this.byte(POINT)
    this.integer(size - whole * power, scale)
  }

  #digits(value: number, least: number): void {
    const bytes = this.#bytes
    let left = value | 0
    let count = 1
    for (let power = 10; power <= left && count < 10; power *= 10) count += 1
    const start = this.#at
    this.#at += Math.max(count, least)
    for (let at = this.#at - 1; at >= start; at--) {
      const tenth = (left / 10) | 0
      bytes[at] = ZERO + left - 10 * tenth
      left = tenth
    }
  }

  /** Writes any text. */
  text(text: string): void {
    const most = text.length > LONG_BYTES ? Buffer.byteLength(text) : 3 * text.length
    if (this.#at + most > this.#bytes.length) this.#grow(most)
    this.#at += this.#bytes.write(text, this.#at)
  }

  /** Writes bytes. */
  raw({ bytes, from, to }: Slice): void {
    const length = to - from
    if (this.#at + length > this.#bytes.length) this.#grow(length)
    const target = this.#bytes
    let at = this.#at
    if (length > 64) target.set(bytes.subarray(from, to), at)
    else for (let index = from; index < to; index++) target[at++] = bytes[index] as number
    this.#at += length
  }

  /** Writes bytes, and returns the flags of all of them: `flags` has bits for each byte. */
  flagged({ bytes, from, to }: Slice, flags: Uint8Array): number {
    const length = to - from
    if (this.#at + length > this.#bytes.length) this.#grow(length)
    const target = this.#bytes
    let at = this.#at
    let found = 0
    for (let index = from; index < to; index++) {
      const byte = bytes[index] as number
      found |= flags[byte] as number
      target[at++] = byte
    }
    this.#at = at
    return found
  }

  /** Writes bytes as a JSON string. */
  jsonString({ bytes, from, to }: Slice): void {
    const length = to - from
    const most = length > LONG_BYTES ? lengthInJson(bytes, from, to) : 6 * length + 2
    if (this.#at + most > this.#bytes.length) this.#grow(most)
    const target = this.#bytes
    let at = this.#at
    target[at++] = QUOTE
    for (let index = from; index < to; index++) {
      const byte = bytes[index] as number
      const letter = ESCAPES[byte] as number
      if (letter === 0) target[at++] = byte
      else {
        target[at++] = BACKSLASH
        target[at++] = letter
        if (letter !== LETTER_U) continue
        target[at++] = 0x30
        target[at++] = 0x30
        target[at++] = HEX[byte >> 4] as number
        target[at++] = HEX[byte & 15] as number
      }
    }
    target[at++] = QUOTE
    this.#at = at
  }

  /** Makes room for `by` bytes, an estimate unless they are many. */
  #grow(by: number): void {
    if ((by > 8 * LONG_BYTES ? this.#at + by : this.#at) > this.most) throw new OutputFull()
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + by))
    larger.set(this.view())
    this.#bytes = larger
  }
}

function lengthInJson(bytes: Uint8Array, from: number, to: number): number {
  let length = to - from + 2
  for (let index = from; index < to; index++) {
    const letter = ESCAPES[bytes[index] as number] as number
    if (letter !== 0) length += letter === LETTER_U ? 5 : 1
  }
  return length
}
