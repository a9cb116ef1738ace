/** Trusted markup, which templates insert without escaping. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Values that a template accepts: markup, strings, numbers, lists of these; null,
 * undefined and false add nothing.
 */
export type Piece = Html | string | number | null | undefined | false | readonly Piece[]

/** Template tag for markup. Escapes every value that is not markup, for text and for quoted attributes. */
export function html(markup: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(markup.reduce((text, part, at) => text + write(pieces[at - 1]) + part))
}

function write(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'string' || typeof piece === 'number') return escaped(String(piece))
  return piece.map(write).join('')
}

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, character => `&#${character.charCodeAt(0)};`)
}

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
