/** Type in the header of the service's own tokens. Others of the same issuer, such as sessions, are none of them. */
export const OWN_TYPE = 'foldgate+jwt'

/** Name of the claim with what a token of the service's own allows, so that it is not taken for anything else. */
export const OWN_CLAIM = 'foldgate'

/** Longest life of a token of the service's own. */
export const LONGEST_MS = 86_400_000

/** Maximum length of a subject, in characters: that of OpenID Connect. */
export const MAX_SUBJECT_LENGTH = 255

/** The claims of a verified token, as its issuer signed them. */
export interface TokenClaims {
  /** Who issued the token: the option `issuer`. */
  readonly iss: string
  /** The subject: 1 to 255 characters that identify the user at the issuer. */
  readonly sub: string
  /** When the token was issued, in epoch seconds. */
  readonly iat: number
  /** When the token ends, in epoch seconds. */
  readonly exp: number
  /** Id of the token, if it has one. */
  readonly jti?: string
  /** Claims of the issuer's own. Their types are not checked. */
  readonly [claim: string]: unknown
}

/**
 * The claims if they are those of a token that is valid at this moment, or null. Signature, issuer and audience were
 * checked before; the times are checked again each time that the token is used.
 */
export function currentClaims(
  claims: Readonly<Record<string, unknown>>,
  { nowMs, leewayMs }: { nowMs: number; leewayMs: number },
): TokenClaims | null {
  const { iss, sub, iat, exp, nbf = iat, jti } = claims
  if (typeof iss !== 'string' || (jti !== undefined && typeof jti !== 'string')) return null
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH) return null
  if (typeof iat !== 'number' || typeof nbf !== 'number' || typeof exp !== 'number') return null
  const hasBegun = Math.max(iat, nbf) * 1000 <= nowMs + leewayMs
  const isOver = exp * 1000 <= nowMs - leewayMs
  return hasBegun && !isOver ? (claims as TokenClaims) : null
}
