import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Encodes small values as strings with an HMAC that only this service can make, each valid for one purpose.
 */
export interface Signer {
  sign(purpose: string, value: unknown): string
  /** Returns the signed value, or null when the string was not signed for this purpose. */
  verify(purpose: string, text: string): unknown
  /** Digest of a value that only this service can make. */
  digest(purpose: string, value: unknown): string
}

const LEAST_SECRET_LENGTH = 32
const MAC_BYTES = 18
const MAX_TEXT = 2048

/**
 * Creates a signer. The first secret signs and every secret verifies: to rotate, put the new secret first.
 */
export function createSigner(secrets: readonly string[]): Signer {
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError(
      'secrets must be a list of at least one string, such as "openssl rand -hex 32" prints',
    )
  for (const [at, secret] of secrets.entries()) {
    const length = typeof secret === 'string' ? secret.length : 0
    if (length < LEAST_SECRET_LENGTH)
      throw new TypeError(
        `secrets[${at}] must have at least ${LEAST_SECRET_LENGTH} characters, and has ${length}`,
      )
  }
  const mac = (secret: string, purpose: string, body: string) =>
    createHmac('sha256', secret).update(`${purpose}\n${body}`).digest().subarray(0, MAC_BYTES)
  return {
    digest: (purpose, value) =>
      mac(secrets[0] as string, purpose, JSON.stringify(value)).toString('base64url'),
    sign(purpose, value) {
      const body = Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${body}.${mac(secrets[0] as string, purpose, body).toString('base64url')}`
    },
    verify(purpose, text) {
      const [body, given, ...rest] = text.length > MAX_TEXT ? [] : text.split('.')
      if (!body || !given || rest.length > 0) return null
      const bytes = Buffer.from(given, 'base64url')
      // Several base64url strings decode to the same bytes; accept only the canonical one.
      if (bytes.length !== MAC_BYTES || bytes.toString('base64url') !== given) return null
      const known = secrets.some(secret => timingSafeEqual(bytes, mac(secret, purpose, body)))
      return known ? (JSON.parse(Buffer.from(body, 'base64url').toString()) as unknown) : null
    },
  }
}
