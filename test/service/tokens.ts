import { createHmac, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const ISSUER = 'https://app.example'
export const AUDIENCE = 'https://data.example'
export const NAMES = { issuer: ISSUER, audience: AUDIENCE }

/** Epoch seconds in so many milliseconds from now. */
export const seconds = (ms = 0) => Math.floor((Date.now() + ms) / 1000)

/** The claims of a token of Ada's, as `signToken` would write them; undefined leaves one out. */
export const claimsOf = (more: object = {}) => ({
  ...{ iss: ISSUER, aud: AUDIENCE, sub: 'ada', jti: 'a token', iat: seconds(), exp: seconds(600_000) },
  foldgate: { organizations: ['north'] },
  ...more,
})

/** A pair of keys with an id, for one algorithm. */
export interface Pair {
  alg: string
  kid: string
  /** The keys as JSON Web Keys. */
  privateJwk: JsonWebKey
  publicJwk: JsonWebKey
  privateKey: KeyObject
  publicKey: KeyObject
}

const GENERATED = {
  EdDSA: () => generateKeyPairSync('ed25519'),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

export function pairOf(kid: string, alg: keyof typeof GENERATED = 'EdDSA', more: object = {}): Pair {
  const { privateKey, publicKey } = GENERATED[alg]()
  const named = { kid, ...(alg === 'PS256' ? { alg } : {}), ...more }
  return {
    alg,
    kid,
    privateJwk: { ...privateKey.export({ format: 'jwk' }), ...named },
    publicJwk: { ...publicKey.export({ format: 'jwk' }), ...named },
    privateKey,
    publicKey,
  }
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Joins a header and claims to a token, signed by `signature` of what comes before it, without the library. */
export function tokenOf(header: object, claims: unknown, signature: (signed: Buffer) => Buffer): string {
  const signed = `${encoded(header)}.${encoded(claims)}`
  return `${signed}.${signature(Buffer.from(signed)).toString('base64url')}`
}

/** Signs claims as another program would. A header that is given takes the place of the right one. */
export function forge({ alg, kid, privateKey }: Pair, claims: unknown, header: object = {}): string {
  const right = { alg, kid, typ: 'foldgate+jwt', ...header }
  return tokenOf(right, claims, signed => {
    if (alg === 'EdDSA') return sign(null, signed, privateKey)
    const padding = alg === 'PS256' ? { padding: 6, saltLength: 32 } : {}
    return sign('sha256', signed, { key: privateKey, dsaEncoding: 'ieee-p1363', ...padding })
  })
}

/** Signs with a secret, as HS256 does. */
export function forgeHmac(header: object, claims: unknown, secret: string | Buffer): string {
  return tokenOf({ alg: 'HS256', ...header }, claims, signed => createHmac('sha256', secret).update(signed).digest())
}

/** A server with a key set, which counts how often it is fetched and may be down. */
export async function keySetServer(keys: unknown[]) {
  const state = { keys, fetched: 0, answer: null as null | { status: number; body: string } }
  const server = createServer((_, response) => {
    state.fetched += 1
    const { status, body } = state.answer ?? { status: 200, body: JSON.stringify({ keys: state.keys }) }
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys.json`
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  return Object.assign(state, { url, close })
}
