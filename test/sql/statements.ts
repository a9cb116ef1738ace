import { readdirSync, readFileSync } from 'node:fs'

/**
 * The statements of this folder: one file a group, each statement below a line `--- name | key: value | why`.
 *
 * Keys: `rule` (the guard's, for what it refuses), `at: run` (the guard lets it pass, the engine finds the mistake),
 * `expect` (the class that is answered, with others that are right too after it), `rows` (how many come back).
 * Lines `-- = {…}` below a statement are the rows that it answers. In a text, `⟦25|x⟧` stands for 25 times x,
 * `⟦1..3|a{i} AS a{i-1}⟧` counts, and `⟦U+0000⟧` is the character of that number.
 */
export interface Statement {
  /** Unique: file and name. */
  id: string
  sql: string
  /** OK or a class of error; whichever comes first is what is expected, the others are right too. */
  expect: readonly string[]
  /** Rule of the guard that refuses it; undefined when it passes the guard. */
  rule: string | undefined
  /** Rows that it answers, in order, as written by hand. */
  rows: readonly unknown[] | undefined
  /** How many rows it answers. */
  rowCount: number | undefined
}

/** All statements of `accepted` or `refused`. */
export function readStatements(kind: 'accepted' | 'refused'): Statement[] {
  const folder = new URL(`./${kind}/`, import.meta.url)
  const files = readdirSync(folder).sort()
  return files.flatMap(file => readFile(file.replace(/\.sql$/, ''), readFileSync(new URL(file, folder), 'utf8'), kind))
}

function readFile(group: string, text: string, kind: 'accepted' | 'refused'): Statement[] {
  return text
    .split(/^--- /m)
    .slice(1)
    .map(entry => readEntry(group, entry, kind))
}

function readEntry(group: string, entry: string, kind: 'accepted' | 'refused'): Statement {
  const end = entry.indexOf('\n')
  const [name = '', ...notes] = entry.slice(0, end).split(' | ')
  const keys = new Map(notes.map(note => /^(\w+): (.*)$/.exec(note) ?? []).map(([, key, value]) => [key, value]))
  const body = entry.slice(end + 1).replace(/\n$/, '')
  const rows = [...body.matchAll(/^-- = (.*)$/gm)].map(([, row]) => JSON.parse(row as string) as unknown)
  const rowCount = keys.get('rows')
  return {
    id: `${group}/${name}`,
    sql: expand(body.replace(/\n?^-- = .*$/gm, '')),
    expect: (keys.get('expect') ?? (kind === 'accepted' ? 'OK' : 'INVALID_QUERY')).split(', '),
    rule: kind === 'refused' && keys.get('at') !== 'run' && !keys.has('expect') ? (keys.get('rule') ?? '') : undefined,
    rows: rows.length > 0 ? rows : undefined,
    rowCount: rowCount === undefined ? undefined : Number(rowCount),
  }
}

const SHORTHAND = /⟦(?:U\+([0-9A-F]{4,6})|(?:(\d+)\.\.)?(\d+)\|([^⟦⟧]*))⟧/g

/** Innermost first, so a repetition may hold another. */
function expand(text: string): string {
  const expanded = text.replace(SHORTHAND, (_, code?: string, from?: string, to?: string, unit = '') => {
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
    const first = from === undefined ? 1 : Number(from)
    const count = Number(to) - first + 1
    return Array.from({ length: count }, (__, index) =>
      unit.replaceAll('{i}', String(first + index)).replaceAll('{i-1}', String(first + index - 1)),
    ).join('')
  })
  return expanded === text ? text : expand(expanded)
}
