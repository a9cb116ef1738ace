/**
 * The syntax that a regular expression may use, by list: what is not on it is refused. Everything here matches whole
 * characters; `\C` and `\B` match, or stand, between the bytes of one, so they can split it, and the engine's string
 * functions read past the end of a string that is not UTF-8.
 */
const SHARED = [
  String.raw`\\[^A-Za-z0-9]`, // an escaped sign
  String.raw`\\[dDwWsStnrfva]`,
  String.raw`\\[pP](?:\{\^?[A-Za-z_]{1,40}\}|[A-Z])`,
  String.raw`\\x(?:[0-9A-Fa-f]{2}|\{[0-9A-Fa-f]{1,6}\})`,
].join('|')
const CLASS = String.raw`\[\^?\]?(?:\[:\^?[a-z]{1,10}:\]|${SHARED}|[^\]\\])*\]`
const GROUP = String.raw`\(\?(?:P?<[A-Za-z_]\w{0,60}>|[imsU]{0,8}(?:-[imsU]{1,8})?[:)])|\((?!\?)`
const ATOM = new RegExp(String.raw`${SHARED}|\\[bAz]|${CLASS}|${GROUP}|[^\\[(]`, 'suy')

/** The first construct of a regular expression that is not allowed, as it is written; null when there is none. */
export function notAllowedIn(pattern: string): string | null {
  ATOM.lastIndex = 0
  for (let at = 0; at < pattern.length; at = ATOM.lastIndex) {
    ATOM.lastIndex = at
    if (!ATOM.test(pattern)) return /^(?:\\.?|\(\?[^a-z]?.?|.)/su.exec(pattern.slice(at))?.[0] ?? ''
  }
  return null
}
