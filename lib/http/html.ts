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
