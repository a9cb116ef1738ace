import type { Caller, KeyPort, UsagePort } from 'foldgate'
import { checkOptions, isPublishable, PATHS } from 'foldgate/internal'
import { Refusal } from '../input/refusal.js'
import { membersOf } from '../settings/json-file.js'
import { isOfTokens } from '../store/usage.js'

const EXAMPLE = '{ "issuer": "https://id.example", "audience": "https://data.example", "jwks": "https://…" }'
const OPTIONS = { issuer: true, audience: true, keys: true, jwks: true, typ: true, claims: true }

/** Limits that are lists, and those with a value or a list for each of several names. */
const LISTS = ['projects', 'methods', 'queries', 'relations'] as const
const NAMED = ['parameters', 'rows'] as const

/** Names of claims: of the organization, of the calls per window, and of each limit of a caller. */
interface ClaimNames
  extends Partial<Record<'quota' | (typeof LISTS)[number], string>>,
    Partial<Record<(typeof NAMED)[number], Readonly<Record<string, string>>>> {
  organization: string
}

const CLAIMS: Record<keyof ClaimNames, true> = {
  organization: true,
  quota: true,
  projects: true,
  methods: true,
  queries: true,
  relations: true,
  parameters: true,
  rows: true,
}

type Claims = Readonly<Record<string, unknown>>

type TokensFile = Parameters<typeof import('foldgate/tokens').tokenKeys>[0] & { claims?: Claims }

/** The tokens that a server takes. */
interface AcceptedTokens {
  keys: KeyPort
  /** Their issuer, for clients that look for it; empty if it is no URL at which they could find anything. */
  authorizationServers: string[]
}

/**
 * Makes the port that the file of `--tokens` describes. Without `claims`, it takes tokens of `signToken`; with them, those
 * of an identity provider. Without `audience`, tokens are for the resources that the metadata of the service name.
 * Throws a Refusal that names the file and what is wrong in it.
 */
export async function acceptedTokens(file: string, baseUrl: string | null): Promise<AcceptedTokens> {
  const members = membersOf('The tokens', file, EXAMPLE)
  const { tokenKeys } = await import('foldgate/tokens')
  try {
    checkOptions('the file', members, OPTIONS)
    // Where a server listens is no name of its own: another one may listen there, too.
    if (members.audience === undefined && baseUrl === null)
      throw new TypeError('audience is missing: name it, or give --base-url, which is the audience then')
    const audience = [baseUrl, baseUrl + PATHS.mcp]
    const { claims, ...options } = { audience, ...members } as unknown as TokensFile
    const names = claims === undefined ? undefined : checkedNames(claims)
    const keys = tokenKeys({ ...options, ...(names && { toCaller: token => allowedBy(names, token) }) })
    return { keys, authorizationServers: [options.issuer].filter(isPublishable) }
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new Refusal(`The tokens in ${file} cannot be used: ${cause.message}`, { cause })
  }
}

/** A port of usage that adds up the tokens of equal organizations: they may have thousands of users. */
export function usageOfOrganizations(usage: UsagePort): UsagePort {
  const countedAs = (keyId: string) => (isOfTokens(keyId) ? JSON.stringify(JSON.parse(keyId)[1]) : keyId)
  return { record: used => usage.record({ ...used, keyId: countedAs(used.keyId) }) }
}

function checkedNames(claims: Claims): ClaimNames {
  checkOptions('claims', claims, CLAIMS)
  const isName = (value: unknown) => typeof value === 'string' && value !== ''
  if (!isName(claims.organization))
    throw new TypeError('claims.organization must be the name of the claim with the organization')
  for (const [member, value] of Object.entries(claims)) {
    const isNamed = (NAMED as readonly string[]).includes(member)
    const names = isNamed ? Object.values(Object(value)) : [value]
    if (!names.every(isName) || (isNamed && Object(value) !== value))
      throw new TypeError(
        `claims.${member} must ${isNamed ? 'have names of claims' : 'be the name of a claim'}`,
      )
  }
  return claims as unknown as ClaimNames
}

/**
 * What a token of an identity provider allows, or null when it names no organization. Throws a TypeError when a claim
 * that limits it is missing: the token would be open.
 */
function allowedBy(
  { organization, quota, ...limits }: ClaimNames,
  token: Claims,
): Pick<Caller, 'organizations' | 'only' | 'quota'> | null {
  const claimOf = (claim: string) => (Object.hasOwn(token, claim) ? token[claim] : null) ?? null
  const limiting = (claim: string) => {
    const value = claimOf(claim)
    if (value === null) throw new TypeError(`a token lacks the claim ${claim}, which limits it`)
    return value
  }
  const listed = (value: unknown) => (Array.isArray(value) ? value : [value])
  const each = (names: Readonly<Record<string, string>>, read: (claim: string) => unknown) =>
    Object.fromEntries(Object.entries(names).map(([name, claim]) => [name, read(claim)]))
  const organizations = claimOf(organization)
  if (organizations === null) return null
  const { parameters, rows } = limits
  const lists = LISTS.flatMap(name => {
    const claim = limits[name]
    return claim === undefined ? [] : [[name, listed(limiting(claim))] as const]
  })
  const only = {
    ...Object.fromEntries(lists),
    ...(parameters && { parameters: each(parameters, limiting) }),
    ...(rows && { rows: each(rows, claim => listed(limiting(claim))) }),
  }
  return {
    organizations: listed(organizations),
    ...(Object.keys(only).length > 0 && { only: only as NonNullable<Caller['only']> }),
    ...(quota !== undefined && { quota: limiting(quota) as number }),
  }
}
