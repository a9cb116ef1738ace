import { PATHS } from '../call/paths-and-headers.js'
import { TITLE } from './info.js'

/** Where the metadata of a resource are, at the root of its origin and before its path (RFC 9728, 3.1). */
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Value of `WWW-Authenticate` of a service that names no authorization servers. */
export const BARE_CHALLENGE = 'Bearer'

/** Options of a service that its metadata depend on. */
interface DiscoveryOptions {
  authorizationServers?: readonly string[]
  mcp?: unknown
}

/** How clients of OAuth find the authorization servers whose tokens a service accepts (RFC 9728). */
export interface ProtectedResource {
  /** Values of `WWW-Authenticate`: of answers to agents, and of all others. */
  challenges: { agents: string; others: string }
  /** The metadata documents, by their path on the origin of the service. */
  documents: ReadonlyMap<string, object>
}

/**
 * Describes the API as a resource of OAuth, and its endpoint for agents as another one: their clients compare the
 * resource with the URL that they connect to. `baseUrl` has no trailing slash. Throws a TypeError that names a wrong
 * issuer.
 */
export function protectedResource(
  baseUrl: string,
  { authorizationServers: issuers, mcp }: DiscoveryOptions,
): ProtectedResource {
  if (issuers === undefined)
    return { challenges: { agents: BARE_CHALLENGE, others: BARE_CHALLENGE }, documents: new Map() }
  checkIssuers(issuers)
  const urls = { agents: baseUrl + PATHS.mcp, others: baseUrl }
  const documents = [...(mcp === undefined ? [] : [urls.agents]), urls.others].map(resource => {
    const about = {
      authorization_servers: [...issuers],
      bearer_methods_supported: ['header'],
      resource_name: TITLE,
    }
    return [pathOf(resource), { resource, ...about }] as const
  })
  return {
    challenges: { agents: challengeOf(urls.agents), others: challengeOf(urls.others) },
    documents: new Map(documents),
  }
}

function pathOf(resource: string): string {
  return WELL_KNOWN + new URL(resource).pathname.replace(/\/$/, '')
}

function challengeOf(resource: string): string {
  return `Bearer resource_metadata="${new URL(resource).origin}${pathOf(resource)}"`
}

/** Whether an issuer can be published as an authorization server: an https URL without query (RFC 8414, 2). */
export function isPublishable(issuer: string): boolean {
  return /^https:\/\/[^\s?#@]+$/.test(issuer) && URL.canParse(issuer)
}

/** Issuers are compared as they are (RFC 8414, 3.3), so they are published as they came. */
function checkIssuers(issuers: readonly string[]): void {
  const isList = Array.isArray(issuers) && issuers.length > 0
  for (const issuer of isList ? issuers : [issuers])
    if (!isList || !isPublishable(issuer))
      throw new TypeError(
        'authorizationServers must be a list of issuers, which are https URLs without query, such as ' +
          `https://login.example, not ${JSON.stringify(issuer)}`,
      )
}
