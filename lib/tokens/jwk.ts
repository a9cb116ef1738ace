import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** A key as a JSON Web Key (RFC 7517). */
export type Jwk = Readonly<JsonWebKey>

/** A key that signs or verifies tokens, by one algorithm. */
export interface TokenKey {
  kid: string
  /** The algorithm, as a header names it that this service writes. */
  algorithm: string
  /** All names of the algorithm. */
  names: readonly string[]
  key: KeyObject
}

/**
 * The kinds of keys, and the algorithms of each with their names (RFC 7518, RFC 8037, RFC 9864). A key without `alg` is
 * for the first one. All are asymmetric: a process that can verify a token of a symmetric key can also sign one.
 */
const KINDS = [
  { kty: 'OKP', crv: 'Ed25519', algorithms: [['EdDSA', 'Ed25519']] },
  { kty: 'EC', crv: 'P-256', algorithms: [['ES256']] },
  { kty: 'RSA', crv: undefined, algorithms: [['RS256'], ['PS256']] },
] as const

/** What headers may name. */
export const ALGORITHMS: readonly string[] = KINDS.flatMap(({ algorithms }) => [...algorithms].flat())

/** Shorter RSA keys are not allowed by RFC 7518. */
const LEAST_RSA_BITS = 2048

/** Reads a public key that verifies tokens. Throws a TypeError that names it as given, and holds nothing of the key. */
export function readPublicKey(name: string, jwk: unknown): TokenKey {
  const kind = readKind(name, jwk, 'verify')
  if (kind.jwk.d !== undefined)
    throw new TypeError(`${name} is a private key: leave out d, and what else a public key does not have`)
  return toKey(name, kind, () => createPublicKey({ key: kind.jwk, format: 'jwk' }))
}

/** Reads a private key that signs tokens. Throws a TypeError that names it as given, and holds nothing of the key. */
export function readPrivateKey(name: string, jwk: unknown): TokenKey {
  const kind = readKind(name, jwk, 'sign')
  if (kind.jwk.d === undefined) throw new TypeError(`${name} is a public key: a private one signs, with d`)
  return toKey(name, kind, () => createPrivateKey({ key: kind.jwk, format: 'jwk' }))
}

type ReadKind = Omit<TokenKey, 'key'> & { jwk: JsonWebKey }

function readKind(name: string, jwk: unknown, operation: 'sign' | 'verify'): ReadKind {
  if (jwk === null || typeof jwk !== 'object') throw new TypeError(`${name} must be a JSON Web Key`)
  const { kty, crv, alg, kid, use, key_ops: operations } = jwk as JsonWebKey
  if (typeof kid !== 'string' || kid === '')
    throw new TypeError(`${name} has no kid, by which tokens name their key`)
  const kind = KINDS.find(each => each.kty === kty && (each.crv === undefined || each.crv === crv))
  const algorithms: readonly (readonly string[])[] = kind?.algorithms ?? []
  const names = algorithms.find(each => alg === undefined || each.includes(alg as string))
  if (!names)
    throw new TypeError(
      `${name} must be for EdDSA (Ed25519), ES256 (P-256), RS256 or PS256, and for nothing else`,
    )
  const isForThis = operations === undefined || (Array.isArray(operations) && operations.includes(operation))
  if ((use !== undefined && use !== 'sig') || !isForThis)
    throw new TypeError(`${name} is not to ${operation}, as its use or key_ops say`)
  return { jwk: jwk as JsonWebKey, kid, names, algorithm: (alg ?? names[0]) as string }
}

function toKey(name: string, { jwk: _, ...kind }: ReadKind, create: () => KeyObject): TokenKey {
  let key: KeyObject
  try {
    key = create()
  } catch {
    // The error of Node may quote a member of the key.
    throw new TypeError(`${name} cannot be read: a member of it is missing or malformed`)
  }
  const bits = key.asymmetricKeyDetails?.modulusLength
  if (bits !== undefined && bits < LEAST_RSA_BITS)
    throw new TypeError(`${name} has ${bits} bits: RSA keys need at least ${LEAST_RSA_BITS}`)
  return { ...kind, key }
}
