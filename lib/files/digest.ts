import { createHash } from 'node:crypto'
import { readInChunks } from './regular.js'

/** SHA-256 of a regular file, in hex. */
export async function digestOf(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of readInChunks(path, signal)) hash.update(chunk)
  return hash.digest('hex')
}
