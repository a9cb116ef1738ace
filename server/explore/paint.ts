import { make } from './dom.js'
import type { TextSpan } from './place.js'
import type { Token } from './tokens.js'

interface Piece {
  kind: Token['kind']
  text: string
  isMarked: boolean
}

/** Renders highlighted SQL into an element, one child per line; unchanged lines keep their elements. */
export function painter(ground: HTMLElement): (tokens: readonly Token[], marked: TextSpan | null) => void {
  let known: string[] = []

  return (tokens, marked) => {
    const lines = linesOf(tokens, marked)
    const wanted = lines.map(line => JSON.stringify(line))
    const most = Math.min(known.length, wanted.length)
    let head = 0
    while (head < most && known[head] === wanted[head]) head++
    let tail = 0
    while (tail < most - head && known.at(-1 - tail) === wanted.at(-1 - tail)) tail++
    for (const stale of [...ground.children].slice(head, known.length - tail)) stale.remove()
    const fresh = lines.slice(head, lines.length - tail).map(elementOf)
    if (head > 0) ground.children[head - 1]?.after(...fresh)
    else ground.prepend(...fresh)
    known = wanted
  }
}

function linesOf(tokens: readonly Token[], marked: TextSpan | null): Piece[][] {
  const lines: Piece[][] = [[]]
  let at = 0
  for (const { kind, text } of tokens) {
    const isMarked = marked !== null && at >= marked.start && at < marked.end
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ kind, text: part, isMarked })
    }
    at += text.length
  }
  return lines
}

function elementOf(line: readonly Piece[]): HTMLElement {
  const pieces = line.map(({ kind, text, isMarked }) =>
    kind === 'space' && !isMarked ? text : make(isMarked ? 'mark' : 'span', { class: kind }, text),
  )
  return make('span', { class: 'line' }, ...pieces)
}
