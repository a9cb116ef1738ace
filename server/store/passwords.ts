import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Refusal } from './refusal.js'
import { turns } from './turns.js'

const PARAMETERS = { N: 2 ** 15, r: 8, p: 3 }
/** scrypt needs 128·N·r bytes and a little more; Node's own bound is below that. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024
const HASH_BYTES = 32
/** Each takes 32 MiB and a thread of those that read files. */
const HASHES = turns(2, 40)
/** What no password is behind, to take as long as any other. */
const NO_PASSWORD = `scrypt$${Object.values(PARAMETERS).join('$')}$${'A'.repeat(22)}$${'A'.repeat(43)}`
const MIN_CHARACTERS = 8
const MAX_CHARACTERS = 1000

/** A salted hash that says how it was made: `scrypt$N$r$p$salt$hash`. A password too short or too long is a refusal. */
export async function hashPassword(password: string): Promise<string> {
  const characters = [...password].length
  if (characters < MIN_CHARACTERS || characters > MAX_CHARACTERS)
    throw new Refusal(`The password has ${characters} characters: take ${MIN_CHARACTERS} to ${MAX_CHARACTERS}`)
  const salt = randomBytes(16)
  const hash = await derive(password, salt, HASH_BYTES, PARAMETERS)
  const { N, r, p } = PARAMETERS
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/**
 * Whether the password is the one behind a hash of {@link hashPassword}. Where there is none (null), the answer is no and
 * takes as long.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [kind, N, r, p, salt, hash] = (stored ?? NO_PASSWORD).split('$')
  if (kind !== 'scrypt' || salt === undefined || hash === undefined) return false
  const expected = Buffer.from(hash, 'base64url')
  const parameters = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, parameters)
  return timingSafeEqual(actual, expected) && stored !== null
}

/** The hash, two at a time; with too many waiting it is a refusal. */
function derive(password: string, salt: Buffer, bytes: number, parameters: typeof PARAMETERS): Promise<Buffer> {
  // The same password typed on two keyboards may differ in its composed characters.
  const text = password.normalize('NFKC')
  const options = { ...parameters, maxmem: MAX_MEMORY_BYTES }
  const hash = HASHES.take(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(text, salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)))
      }),
  )
  if (hash === null) throw new Refusal('Too many passwords are being checked right now: try again in a moment')
  return hash
}
