/** Markup that may stand in a page as it is. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a template takes: markup, texts and numbers, lists of them; null and false are nothing. */
export type Piece = Html | string | number | null | undefined | false | readonly Piece[]

/** Markup from a template: whatever is put in is escaped, for texts and for quoted attributes, unless it is markup. */
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
