import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Refusal } from './refusal.js'

const PARAMETERS = { N: 2 ** 15, r: 8, p: 3 }
/** scrypt needs 128·N·r bytes and a little more; Node's own bound is below that. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024
const HASH_BYTES = 32
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

/** Whether the password is the one behind a hash of {@link hashPassword}. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [kind, N, r, p, salt, hash] = stored.split('$')
  if (kind !== 'scrypt' || salt === undefined || hash === undefined) return false
  const expected = Buffer.from(hash, 'base64url')
  const parameters = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, parameters)
  return timingSafeEqual(actual, expected)
}

function derive(password: string, salt: Buffer, bytes: number, parameters: typeof PARAMETERS): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The same password typed on two keyboards may differ in its composed characters.
    const text = password.normalize('NFKC')
    scrypt(text, salt, bytes, { ...parameters, maxmem: MAX_MEMORY_BYTES }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
