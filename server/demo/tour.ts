import type { ProjectDescription, ProjectExport, ProjectSummary, Row } from 'foldgate/client'
import { table } from '../cli/print.js'
import { Refusal } from '../input/refusal.js'

/** The results of the tour. */
export interface Tour {
  projects: number
  project: string
  projectId: string
  relations: number
  queries: { question: string; rows: number; ms: number }[]
  export: { rows: number; bytes: number; downloadedBytes: number }
}

const WORKED_QUERIES = 3
const SHOWN_ROWS = 6
const SHOWN_CHARACTERS = 44
const SHOWN_COLUMNS = 100
const INDENT = '  '
/** The relation that is exported if there is one of this name, and otherwise the first relation. */
const EXPORTED = 'fold_pressures'

/** Calls every method over HTTP as a client would, and prints the answers with `say`. */
export async function takeTour(
  url: string,
  key: string,
  { say, signal }: { say(text: string): void; signal: AbortSignal },
): Promise<Tour> {
  const headers = { authorization: `Bearer ${key}` }
  async function call<Result>(method: string, params: unknown): Promise<Result> {
    const body = JSON.stringify(params)
    const response = await fetch(`${url}/public/v1/api/${method}`, { method: 'POST', headers, body, signal })
    const answer = (await response.json()) as { result: Result; message?: string }
    if (!response.ok) throw new Refusal(`${method} answered ${response.status}: ${answer.message}`)
    return answer.result
  }

  const { items: projects } = await call<{ items: ProjectSummary[] }>('projects/list', {})
  say(`\nprojects/list: ${projects.length} projects`)
  say(
    indent(
      table([
        ['NAME', 'ORGANIZATION', 'STATE'],
        ...projects.map(each => [each.name, each.organization, each.state]),
      ]),
    ),
  )
  const project = projects.find(each => each.state === 'computed')
  if (!project) throw new Refusal('The package has no computed project: there is nothing to query')

  const { projectId } = project
  const description = await call<ProjectDescription>('projects/describe', { projectId })
  const { relations } = description
  const folds = relations.filter(relation => relation.kind === 'fold')
  const shown = folds.length > 0 ? folds : relations
  say(`\nprojects/describe: ${shown.length} of ${relations.length} relations of "${project.name}"`)
  say(indent(glossary(shown)))

  const queries: Tour['queries'] = []
  for (const { question, sql } of description.examples.slice(0, WORKED_QUERIES)) {
    const startedAt = performance.now()
    const { items } = await call<{ items: Row[] }>('projects/query', { projectId, sql })
    const ms = Math.round(performance.now() - startedAt)
    say(
      `\nprojects/query: ${question} (${items.length} rows, ${ms} ms)\n${indent(sql)}\n\n${indent(rowTable(items))}`,
    )
    queries.push({ question, rows: items.length, ms })
  }

  const names = relations.map(({ name }) => name)
  const [exportedName = EXPORTED] = names.includes(EXPORTED) ? [EXPORTED] : names
  const sql = `SELECT * FROM "${exportedName}"`
  const file = await call<ProjectExport>('projects/export', { projectId, sql })
  const download = await fetch(file.url, { headers, signal })
  if (!download.ok) throw new Refusal(`The download answered ${download.status}`)
  const { byteLength: downloadedBytes } = await download.arrayBuffer()
  say(
    `\nprojects/export: ${exportedName}, ${file.rows} rows; downloaded ${downloadedBytes} of ${file.bytes} bytes of Parquet`,
  )
  const { rows, bytes } = file
  const exported = { rows, bytes, downloadedBytes }
  return {
    projects: projects.length,
    project: project.name,
    projectId,
    relations: relations.length,
    queries,
    export: exported,
  }
}

function rowTable(rows: readonly Row[]): string {
  const [first] = rows
  if (!first) return '(no rows)'
  const shown = rows.slice(0, SHOWN_ROWS).map(row => Object.values(row).map(cell))
  const more = rows.length > SHOWN_ROWS ? `\n… and ${rows.length - SHOWN_ROWS} more` : ''
  return table([Object.keys(first), ...shown]) + more
}

function cell(value: unknown): string {
  if (value === null) return '-'
  const text =
    typeof value === 'number' ? numberText(value) : typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text
}

function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)))
}

/** Lists names with the first sentence about each, wrapped beside the names to what a terminal shows. */
export function glossary(items: readonly { name: string; about?: string | undefined }[]): string {
  const column = Math.max(...items.map(({ name }) => name.length)) + 2
  return items
    .map(({ name, about = '' }) => {
      const lines = wrap(firstSentence(about), SHOWN_COLUMNS - INDENT.length - column)
      return `${name.padEnd(column)}${lines.join(`\n${' '.repeat(column)}`)}`.trimEnd()
    })
    .join('\n')
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.!?])\s/)[0] ?? text
}

function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

function indent(text: string): string {
  return text.replace(/^/gm, INDENT)
}
