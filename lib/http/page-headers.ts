/**
 * Headers of a page: it is not cached or framed, loads nothing from other origins and runs only our own scripts. `runs`
 * says whether it has scripts, and `connects` whether they call the origin of the page. Default: no scripts.
 */
export function pageHeaders(runs?: { connects: boolean }): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    // Trusted Types: no string becomes markup or code, in our own scripts either.
    ...(runs ? ["script-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"] : []),
    ...(runs?.connects ? ["connect-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    // With "no-referrer", browsers send "Origin: null" with our own forms, so they look like foreign ones.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }
}
