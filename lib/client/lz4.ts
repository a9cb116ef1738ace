const MAGIC = 0x184d2204
/** Bits of the frame's flags. */
const [HAS_DICTIONARY, HAS_SIZE, HAS_BLOCK_CHECKSUMS, HAS_INDEPENDENT_BLOCKS] = [0x01, 0x08, 0x10, 0x20]
/** Bit in the size of a block that is not compressed. */
const STORED = 0x8000_0000
const LEAST_MATCH = 4

/** Decompresses an LZ4 frame of independent blocks; throws an Error when it is none. */
export function fromLz4Frame(frame: Uint8Array): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const flags = frame[4] ?? 0
  if (view.getUint32(0, true) !== MAGIC || flags & HAS_DICTIONARY || !(flags & HAS_INDEPENDENT_BLOCKS))
    throw new Error('the file has buffers that are compressed in another way')
  const blocks: Uint8Array[] = []
  let at = flags & HAS_SIZE ? 15 : 7
  for (let size = view.getUint32(at, true); size !== 0; size = view.getUint32(at, true)) {
    const end = at + 4 + (size & ~STORED)
    const block = frame.subarray(at + 4, end)
    blocks.push(size & STORED ? block : fromBlock(block))
    at = end + (flags & HAS_BLOCK_CHECKSUMS ? 4 : 0)
  }
  return joined(blocks)
}

/** Decompresses one block, whose uncompressed length it does not tell. */
function fromBlock(block: Uint8Array): Uint8Array {
  let out = new Uint8Array(block.length * 4)
  let to = 0
  let at = 0
  /** A length that goes on while its bytes are 255. */
  const lengthFrom = (start: number) => {
    let length = start
    if (start < 15) return length
    let byte: number
    do {
      byte = block[at++] ?? 0
      length += byte
    } while (byte === 255)
    return length
  }
  const makeRoom = (bytes: number) => {
    if (to + bytes <= out.length) return
    const larger = new Uint8Array(Math.max(out.length * 2, to + bytes))
    larger.set(out.subarray(0, to))
    out = larger
  }
  while (at < block.length) {
    const token = block[at++] as number
    const literals = lengthFrom(token >> 4)
    makeRoom(literals)
    out.set(block.subarray(at, at + literals), to)
    to += literals
    at += literals
    if (at >= block.length) break // the last sequence has no match
    const distance = (block[at] as number) | ((block[at + 1] ?? 0) << 8)
    at += 2
    const length = lengthFrom(token & 15) + LEAST_MATCH
    if (distance === 0 || distance > to) throw new Error('the file is damaged')
    makeRoom(length)
    if (distance >= length) out.copyWithin(to, to - distance, to - distance + length)
    else for (let index = 0; index < length; index++) out[to + index] = out[to + index - distance] as number
    to += length
  }
  return out.subarray(0, to)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array
  const all = new Uint8Array(parts.reduce((bytes, part) => bytes + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
