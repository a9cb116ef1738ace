import { hash } from 'node:crypto'

/**
 * SHA-256 of a string in hex, stored instead of keys and session tokens. These are long and random, so a fast
 * hash is as safe as a slow one.
 */
export function digestOf(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex')
}
