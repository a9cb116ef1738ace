import { readdirSync, readFileSync } from 'node:fs'

/**
 * A statement of this folder. Each file is a group; those of `extras` call functions that a host adds. Each statement follows a line `--- name | key: value | why`.
 *
 * Keys: `rule` (the rule of the guard that it breaks), `at: run` (the guard accepts it, and the engine finds the
 * mistake), `expect` (the expected class, then others that are acceptable too), `rows` (the number of rows).
 * Lines `-- = {…}` below a statement are its expected rows. In a statement, `⟦25|x⟧` repeats x 25 times,
 * `⟦1..3|a{i} AS a{i-1}⟧` counts from 1 to 3, and `⟦U+0000⟧` is the character with that code point.
 */
export interface Statement {
  /** Unique: file and name. */
  id: string
  sql: string
  /** OK or an error class: the expected one, then others that are acceptable too. */
  expect: readonly string[]
  /** Rule of the guard that it breaks; undefined when the guard accepts it. */
  rule: string | undefined
  /** Expected rows in order, written by hand. */
  rows: readonly unknown[] | undefined
  /** Expected number of rows. */
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

/** Expands the innermost shorthand first, so repetitions can be nested. */
export function expand(text: string): string {
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
