import { isUtf8 } from 'node:buffer'

/** Whether bytes that come in parts are UTF-8; a character may be cut between two of them. */
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

  /** Of all parts together. */
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
