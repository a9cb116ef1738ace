import { generateKeyPairSync } from 'node:crypto'
import type { KeyPort } from 'foldgate'
import { signToken, tokenKeys } from 'foldgate/tokens'

/** Employees of your customers, whom an identity provider knows. It writes in a claim for which tenant each works. */
export function employees(jwks: string): KeyPort {
  return tokenKeys({
    issuer: 'https://id.example/',
    audience: 'https://data.example',
    jwks,
    toCaller: ({ tenant, roles }) => {
      if (typeof tenant !== 'string' || !Array.isArray(roles)) return null
      if (roles.includes('analyst')) return { organizations: [tenant] }
      return { organizations: [tenant], only: { relations: ['city_trips'] }, quota: 60 }
    },
  })
}

/** Makes a key that signs tokens, and the public key that verifies them. */
export function newKeys(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privateKey: { ...privateKey.export({ format: 'jwk' }), kid },
    publicKey: { ...publicKey.export({ format: 'jwk' }), kid },
  }
}

export type Keys = ReturnType<typeof newKeys>

/** A session of your application. */
export interface Session {
  userId: string
  tenant: string
  isAnalyst: boolean
}

/** Answers `POST /token`: a token of five minutes for the user whose session cookie the request carries. */
export async function tokenFor(session: Session | null, { privateKey }: Keys): Promise<Response> {
  if (!session) return new Response(null, { status: 401 })
  const token = await signToken({
    key: privateKey,
    issuer: 'https://app.example',
    audience: 'https://data.example',
    subject: session.userId,
    organization: session.tenant,
    ...(session.isAnalyst ? {} : { only: { relations: ['city_trips'] }, quota: 60 }),
    expiresInMs: 5 * 60_000,
  })
  return Response.json({ token }, { headers: { 'cache-control': 'no-store' } })
}

/** What your database knows of users who may no longer call. */
export interface Revocations {
  /** When all tokens of a user were revoked last, in epoch milliseconds; 0 if never. */
  revokedAt(userId: string): Promise<number>
}

/** Users with tokens that your application has signed. */
export function users(keys: readonly Keys[], revocations: Revocations): KeyPort {
  return tokenKeys({
    issuer: 'https://app.example',
    audience: 'https://data.example',
    keys: keys.map(({ publicKey }) => publicKey),
    revoked: async ({ subject, issuedAt }) => issuedAt <= (await revocations.revokedAt(subject)),
  })
}

/** Takes tokens of both, and API keys. */
export function allKeys(tokens: KeyPort, others: KeyPort, apiKeys: KeyPort): KeyPort {
  return {
    authenticate: async (key, signal) =>
      (await tokens.authenticate(key, signal)) ??
      (await others.authenticate(key, signal)) ??
      (await apiKeys.authenticate(key, signal)),
  }
}
