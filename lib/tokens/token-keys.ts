import { createHash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { RecentMap } from '../flow/recent.js'
import type { Caller, Clock, KeyPort } from '../ports.js'
import { checkOptions } from '../values/known-options.js'
import { currentClaims, LONGEST_MS, OWN_CLAIM, OWN_TYPE, type TokenClaims } from './claims.js'
import { ALGORITHMS, type Jwk, type TokenKey } from './jwk.js'
import { fetchedKeys, givenKeys } from './key-sets.js'

/** Clocks of machines differ by less. */
const LEEWAY_SECONDS = 30
/** Types of access tokens: RFC 9068, and what identity providers write that do not follow it. */
const TYPES_OF_PROVIDERS = ['at+jwt', 'jwt', undefined]
/** Most tokens whose signature is known to be right. */
const MOST_KNOWN = 10_000

/** What a token allows: its organizations, its limits and its quota, as in `Caller`. */
type TokenCaller = Pick<Caller, 'organizations' | 'only' | 'quota'>

/** A token that is valid unless the host has revoked it. */
interface RevocableToken {
  /** Id of the token (`jti`); null if it has none. */
  id: string | null
  /** The subject (`sub`): the user. */
  subject: string
  /** The issuer (`iss`). */
  issuer: string
  /** When it was issued (`iat`), in epoch milliseconds, rounded down to a second by most issuers. */
  issuedAt: number
}

/** Options of {@link tokenKeys}. */
interface TokenKeysOptions {
  /** The issuer of the tokens: their `iss`, exactly. */
  issuer: string
  /**
   * The API that the tokens are for: their `aud`, or a member of it, exactly. Of a list, one is enough. With the id of a
   * client, its ID tokens would be accepted.
   */
  audience: string | readonly string[]
  /**
   * Public keys that verify, as JSON Web Keys with `kid`: Ed25519 (EdDSA), P-256 (ES256) or RSA (RS256, or PS256 if `alg`
   * says so). Either `keys` or `jwks` is needed.
   */
  keys?: readonly Jwk[]
  /**
   * URL of the issuer's key set, by https unless it is on this machine. It is fetched every 10 minutes, and for an
   * unknown `kid`, at most every 30 seconds. While it cannot be fetched, calls that need it are UNAVAILABLE.
   */
  jwks?: string
  /**
   * What a token of an identity provider allows, by its verified claims; null if nothing. Default: tokens are those of
   * `signToken`, which say so themselves.
   */
  toCaller?: (claims: TokenClaims, signal: AbortSignal) => TokenCaller | null | Promise<TokenCaller | null>
  /** Type in the header of the tokens, with `toCaller`. Default: `at+jwt`, `JWT` or none, and never `foldgate+jwt`. */
  typ?: string
  /** Whether a token was revoked, asked for each call. When it rejects, the call is UNAVAILABLE. Default: no token is revoked. */
  revoked?: (token: RevocableToken, signal: AbortSignal) => boolean | Promise<boolean>
  /** Source of the current time. Default: the system clock. */
  clock?: Clock
}

const OPTIONS: Record<keyof TokenKeysOptions, true> = {
  issuer: true,
  audience: true,
  keys: true,
  jwks: true,
  toCaller: true,
  typ: true,
  revoked: true,
  clock: true,
}

/**
 * Creates a `keys` port for signed tokens (JWT): the tokens of `signToken`, or with `toCaller` tokens of your identity
 * provider. The key and its algorithm are found by `kid`, never by the `alg` of the token. A token is unknown when it is
 * not signed by such a key, for another audience, of another issuer or type, expired or not yet valid (with 30 seconds of
 * leeway), or without `exp`, `iat` or `sub`. `keyId` and `ownerId` are the JSON text `[issuer, organizations, subject]`,
 * so that quotas and export links are those of a user at an organization.
 *
 * @param options - Issuer, audience and keys of the tokens, and what they allow.
 * @returns The port. Its `authenticate` rejects when the key set cannot be fetched, when `revoked` or `toCaller` rejects,
 * and when they, or a token of your own, say what a `Caller` cannot have.
 * @throws TypeError when an option does not exist or is missing, or a key cannot verify tokens.
 *
 * @example
 * ```ts
 * const keys = tokenKeys({
 *   issuer: 'https://id.example',
 *   audience: 'https://data.example',
 *   jwks: 'https://id.example/.well-known/jwks.json',
 *   toCaller: ({ org_id }) => (typeof org_id === 'string' ? { organizations: [org_id] } : null),
 * })
 * ```
 *
 * @example
 * Tokens that your application signs with `signToken`.
 * ```ts
 * const publicKey = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: '2026-11' }
 * const keys = tokenKeys({ issuer: 'https://app.example', audience: 'https://data.example', keys: [publicKey] })
 * ```
 */
export function tokenKeys(options: TokenKeysOptions): KeyPort {
  checkOptions('tokenKeys', options, OPTIONS)
  const { issuer, audience, keys, jwks, toCaller, typ, revoked, clock = Date } = options
  const audiences = typeof audience === 'string' ? [audience] : audience
  const isName = (value: unknown) => typeof value === 'string' && value !== ''
  if (!isName(issuer)) throw new TypeError('tokenKeys: issuer must be a string, as tokens have it')
  if (!Array.isArray(audiences) || audiences.length === 0 || !audiences.every(isName))
    throw new TypeError('tokenKeys: audience must be a string, as tokens have it, or a list of several')
  if ((keys === undefined) === (jwks === undefined))
    throw new TypeError('tokenKeys: give either keys, or the URL of a key set as jwks')
  if (typ !== undefined && (typeof typ !== 'string' || !toCaller))
    throw new TypeError('tokenKeys: typ is the type of tokens that toCaller reads')
  const set = jwks === undefined ? givenKeys(keys as readonly Jwk[]) : fetchedKeys(jwks, clock)
  const types = toCaller ? (typ === undefined ? TYPES_OF_PROVIDERS : [typeOf(typ)]) : [OWN_TYPE]
  /** Digests of tokens whose signature was right, and the key of each: a signature is verified once. */
  const known = new RecentMap<string, TokenKey>(MOST_KNOWN)

  /** The claims of a token that is right, or null. */
  async function verify(token: string, signal: AbortSignal): Promise<TokenClaims | null> {
    const header = headerOf(token)
    if (!header || !ALGORITHMS.includes(header.alg as string) || typeof header.kid !== 'string') return null
    if (!types.includes(typeOf(header.typ))) return null
    const key = await set.find(header.kid, signal)
    if (!key?.names.includes(header.alg as string)) return null
    const nowMs = clock.now()
    const digest = createHash('sha256').update(token).digest('base64url')
    if (known.get(digest) !== key) {
      if (!(await isRight(token, key, nowMs))) return null
      known.set(digest, key)
    }
    return currentClaims(decodeJwt(token), { nowMs, leewayMs: LEEWAY_SECONDS * 1000 })
  }

  async function isRight(token: string, { names, key }: TokenKey, nowMs: number): Promise<boolean> {
    const times = { clockTolerance: LEEWAY_SECONDS, currentDate: new Date(nowMs) }
    try {
      await jwtVerify(token, key, { issuer, audience: [...audiences], algorithms: [...names], ...times })
      return true
    } catch (cause) {
      if (cause instanceof errors.JOSEError) return false
      throw cause
    }
  }

  return {
    async authenticate(token, signal) {
      const claims = await verify(token, signal)
      if (!claims) return null
      const { jti: id = null, sub: subject, iat } = claims
      const isRevoked = revoked ? await revoked({ id, subject, issuer, issuedAt: iat * 1000 }, signal) : false
      if (typeof isRevoked !== 'boolean') throw new TypeError('revoked() must answer true or false')
      if (isRevoked) return null
      if (toCaller) return callerOf(claims, await toCaller(claims, signal), 'what toCaller() answers')
      if ((claims.exp - claims.iat) * 1000 > LONGEST_MS) return null // not of signToken
      return callerOf(claims, claims[OWN_CLAIM] ?? {}, `the claim ${OWN_CLAIM} of a token`)
    },
  }
}

type Header = Partial<Record<'alg' | 'kid' | 'typ', unknown>>

function headerOf(token: string): Header | null {
  const signature = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token)?.[1]
  // Several base64url strings decode to the same bytes; accept only the canonical one.
  if (!signature || Buffer.from(signature, 'base64url').toString('base64url') !== signature) return null
  try {
    return decodeProtectedHeader(token)
  } catch {
    return null // an API key, for instance
  }
}

/** The type of a header, as types are compared: without case, and without the `application/` that may be left out. */
function typeOf(typ: unknown): string | null | undefined {
  if (typ === undefined) return undefined
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\/(?=[^/]*$)/, '') : null
}

const MEMBERS: Record<keyof TokenCaller, true> = { organizations: true, only: true, quota: true }

/**
 * The caller behind a token, of whom the service checks the rest. Throws a TypeError that names no value for what is not
 * understood: a misspelt limit, or one beside `only`, must not leave the token open.
 */
function callerOf({ iss, sub }: TokenClaims, allowed: unknown, what: string): Caller | null {
  if (allowed === null) return null
  const members = Object.keys(MEMBERS).join(', ')
  if (typeof allowed !== 'object' || Array.isArray(allowed))
    throw new TypeError(`${what} must be null, or an object with ${members}`)
  const unknown = Object.keys(allowed).find(name => !Object.hasOwn(MEMBERS, name))
  if (unknown !== undefined) throw new TypeError(`${what} has ${unknown}: its members are ${members}`)
  const { organizations, only, quota } = allowed as TokenCaller // inherited ones too
  if (!Array.isArray(organizations) || !organizations.every(each => typeof each === 'string'))
    throw new TypeError(`${what} must have organizations, a list of strings`)
  const sorted = [...new Set(organizations)].sort()
  const id = JSON.stringify([iss, sorted, sub])
  const limits = { ...(only === undefined ? {} : { only }), ...(quota === undefined ? {} : { quota }) }
  return { keyId: id, ownerId: id, organizations: sorted, ...limits }
}
