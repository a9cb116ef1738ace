import { compress } from 'lz4-wasm-nodejs'

/** Magic number; independent blocks of at most 4 MiB, without checksums; the checksum of these two bytes. */
const HEADER = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73)
const END = new Uint8Array(4)
const BLOCK_BYTES = 4 * 1024 ** 2
/** Flag in the size of a block that is not compressed. */
const STORED = 0x8000_0000
/** The package puts the uncompressed length before a block; the frame has no place for it. */
const LENGTH_BYTES = 4

/** Compresses bytes to an LZ4 frame. */
export function lz4Frame(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [HEADER]
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const block = bytes.subarray(at, at + BLOCK_BYTES)
    const compressed = compress(block).subarray(LENGTH_BYTES)
    const isSmaller = compressed.length < block.length
    const size = Buffer.alloc(4)
    size.writeUInt32LE(isSmaller ? compressed.length : block.length + STORED)
    parts.push(size, isSmaller ? compressed : block)
  }
  return Buffer.concat([...parts, END])
}
