import { isUtf8 } from 'node:buffer'

/** Checks whether bytes that arrive in parts are UTF-8; a character may span two parts. */
export class Utf8Check {
  #cut: Uint8Array = new Uint8Array()
  #holds = true

  add(part: Uint8Array): void {
    const bytes = this.#cut.length > 0 ? Buffer.concat([this.#cut, part]) : part
    let end = bytes.length
    while (end > 0 && end > bytes.length - 3 && isInside(bytes[end - 1])) end -= 1
    if (end > 0 && isStart(bytes[end - 1])) end -= 1
    this.#holds &&= isUtf8(bytes.subarray(0, end))
    this.#cut = bytes.slice(end)
  }

  /** Whether all parts together are valid UTF-8. */
  get holds(): boolean {
    return this.#holds && isUtf8(this.#cut)
  }
}

function isInside(byte = 0): boolean {
  return (byte & 0xc0) === 0x80
}

function isStart(byte = 0): boolean {
  return byte >= 0xc0
}
