import { createHash } from 'node:crypto'

/**
 * SHA-256 of a text, hex: what is kept of keys and sessions. They are long and random, so a fast hash is as good as a
 * slow one.
 */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
