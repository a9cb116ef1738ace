import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { MAX_KEY_LENGTH } from '../call/admission.js'
import { checkCaller } from '../call/caller.js'
import type { CallerLimits, Clock } from '../ports.js'
import { checkOptions } from '../values/known-options.js'
import { LONGEST_MS, MAX_SUBJECT_LENGTH, OWN_CLAIM, OWN_TYPE } from './claims.js'
import { type Jwk, readPrivateKey } from './jwk.js'

/** Options of {@link signToken}. */
interface TokenOptions {
  /** Private key that signs, as a JSON Web Key with `kid`: Ed25519 (EdDSA), P-256 (ES256) or RSA (RS256, PS256). */
  key: Jwk
  /** The application that issues the token, such as its URL: the `issuer` of `tokenKeys`. */
  issuer: string
  /** The API that the token is for, such as its URL: the `audience` of `tokenKeys`. */
  audience: string
  /** The user: 1 to 255 characters that nobody else has in the organization. It is part of the `keyId` in events. */
  subject: string
  /** Key of the organization that the user reads, or a list of several. */
  organization: string | readonly string[]
  /** What the user can do at most. Default: whatever the organization allows. */
  only?: CallerLimits
  /** Calls per window of the user at most, if the quota of the service allows more. Default: the quota of the service. */
  quota?: number
  /** How long the token is valid, in milliseconds: a second to a day. */
  expiresInMs: number
  /** Id of the token, by which it can be revoked. Default: a random UUID. */
  id?: string
  /** Source of the current time. Default: the system clock. */
  clock?: Clock
}

const OPTIONS: Record<keyof TokenOptions, true> = {
  key: true,
  issuer: true,
  audience: true,
  subject: true,
  organization: true,
  only: true,
  quota: true,
  expiresInMs: true,
  id: true,
  clock: true,
}

/**
 * Signs a token (JWT) with which one of your users calls, for the port `tokenKeys`. The token makes its holder that user
 * until it expires or is revoked.
 *
 * @param options - The private key, and what the token says: issuer, audience, user, organization, limits and life.
 * @returns The token: at most 8192 characters.
 * @throws TypeError when an option does not exist or is wrong, a limit is one that the service would not understand, or
 * the token would be too long.
 *
 * @example
 * ```ts
 * const token = await signToken({
 *   key: JSON.parse(process.env.TOKEN_KEY ?? ''),
 *   issuer: 'https://app.example',
 *   audience: 'https://data.example',
 *   subject: 'user-17',
 *   organization: 'north',
 *   only: { methods: ['projects/list', 'projects/query'] },
 *   expiresInMs: 15 * 60_000,
 * })
 * ```
 */
export async function signToken(options: TokenOptions): Promise<string> {
  checkOptions('signToken', options, OPTIONS)
  const { issuer, audience, subject, organization, expiresInMs, id = randomUUID(), clock = Date } = options
  for (const [name, value] of Object.entries({ issuer, audience, subject, id }))
    if (typeof value !== 'string' || value === '') throw new TypeError(`signToken: ${name} must be a string`)
  if (subject.length > MAX_SUBJECT_LENGTH)
    throw new TypeError(
      `signToken: subject may have ${MAX_SUBJECT_LENGTH} characters, and has ${subject.length}`,
    )
  if (!(Number.isSafeInteger(expiresInMs) && expiresInMs >= 1000 && expiresInMs <= LONGEST_MS))
    throw new TypeError(
      `signToken: expiresInMs must be a whole number from 1000 to ${LONGEST_MS}, which is a day`,
    )
  const signing = readPrivateKey('signToken: key', options.key)
  const organizations = typeof organization === 'string' ? [organization] : organization
  if (!Array.isArray(organizations) || !organizations.every(each => typeof each === 'string' && each !== ''))
    throw new TypeError('signToken: organization must be the key of an organization, or a list of several')
  const { only, quota } = options
  const allowed = {
    organizations,
    ...(only === undefined ? {} : { only }),
    ...(quota === undefined ? {} : { quota }),
  }
  checkAllowed(allowed)
  const now = clock.now()
  const token = await new SignJWT({ [OWN_CLAIM]: allowed })
    .setProtectedHeader({ alg: signing.algorithm, kid: signing.kid, typ: OWN_TYPE })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setJti(id)
    .setIssuedAt(Math.floor(now / 1000))
    .setExpirationTime(Math.floor((now + expiresInMs) / 1000))
    .sign(signing.key)
  if (token.length > MAX_KEY_LENGTH)
    throw new TypeError(
      `signToken: the token has ${token.length} characters, and the service takes ${MAX_KEY_LENGTH}: list less in only`,
    )
  return token
}

/** Throws a TypeError for what the service would refuse at each call, or what would be lost in JSON. */
function checkAllowed(allowed: object): void {
  try {
    checkCaller({ keyId: '', ownerId: '', ...allowed })
  } catch (cause) {
    throw new TypeError(`signToken: the service would refuse the token: ${(cause as Error).message}`)
  }
  // What JSON leaves out, such as inherited members, would limit nothing.
  if (!isJson(allowed))
    throw new TypeError('signToken: only must hold plain values of JSON, which a token carries as they are')
}

/** Whether JSON holds all of a value; versions of Node differ in what is deeply equal. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return false
  const made = Object.getPrototypeOf(value)
  if (Array.isArray(value)) return made === Array.prototype && [...value].every(isJson)
  return (made === Object.prototype || made === null) && Object.values(value).every(isJson)
}
