import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Places } from 'foldgate/internal'
import { Refusal } from '../input/refusal.js'

const PARAMETERS = { N: 2 ** 15, r: 8, p: 3 }
/** scrypt needs a little more than 128·N·r bytes, which exceeds Node's default limit. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024
const HASH_BYTES = 32
/** Few at a time: each takes 32 MiB and a thread of the pool that also reads files. */
const HASHES = new Places(2)
const MOST_WAITING = 40
/** A hash that matches no password, so that checking a user without one takes as long. */
const NO_PASSWORD = `scrypt$${Object.values(PARAMETERS).join('$')}$${'A'.repeat(22)}$${'A'.repeat(43)}`
/** The shortest password that a user can have. */
export const MIN_CHARACTERS = 8
const MAX_CHARACTERS = 1000

/** Throws a Refusal when a password is too short or too long. */
export function checkPassword(password: string): void {
  const characters = [...password].length
  if (characters < MIN_CHARACTERS || characters > MAX_CHARACTERS)
    throw new Refusal(`The password has ${characters} characters: use ${MIN_CHARACTERS} to ${MAX_CHARACTERS}`)
}

/**
 * Hashes a password as `scrypt$N$r$p$salt$hash`. Throws a Refusal when it is too short or too long, and when
 * too many are waiting.
 */
export async function hashPassword(password: string): Promise<string> {
  checkPassword(password)
  const salt = randomBytes(16)
  const hash = await derive(password, salt, HASH_BYTES, PARAMETERS)
  const { N, r, p } = PARAMETERS
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/**
 * Whether a password matches a hash of {@link hashPassword}. Without a hash (null) the answer is no, and
 * takes as long to compute.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [kind, N, r, p, salt, hash] = (stored ?? NO_PASSWORD).split('$')
  if (kind !== 'scrypt' || salt === undefined || hash === undefined) return false
  const expected = Buffer.from(hash, 'base64url')
  const parameters = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, parameters)
  return timingSafeEqual(actual, expected) && stored !== null
}

/** Computes a hash, two at a time. Throws a Refusal when too many are waiting. */
async function derive(
  password: string,
  salt: Buffer,
  bytes: number,
  parameters: typeof PARAMETERS,
): Promise<Buffer> {
  // Two keyboards may encode the same accented character differently.
  const text = password.normalize('NFKC')
  const options = { ...parameters, maxmem: MAX_MEMORY_BYTES }
  if (HASHES.waiting >= MOST_WAITING)
    throw new Refusal('Too many passwords are being checked right now: try again in a moment')
  return HASHES.run(
    {},
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(text, salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)))
      }),
  )
}
