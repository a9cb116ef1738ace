import type { Row } from 'foldgate/client'
import { fullText, type RowColumn } from './values.js'

/** How spreadsheets recognize a formula, as exports with `csvInjection: "escape"` have it. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/**
 * Rows as CSV (RFC 4180) with a header: every digit, nothing for null. With `escapes`, an apostrophe is put
 * before strings and names of columns that spreadsheets would run as formulas.
 */
export function csvOf(columns: readonly RowColumn[], rows: readonly Row[], escapes = false): string {
  const line = (values: readonly string[]) => `${values.map(csvField).join(',')}\r\n`
  const safe = (text: string) => (escapes ? shielded(text) : text)
  const cell = (value: unknown, column: RowColumn) =>
    // Numbers beyond a double are strings, too.
    typeof value === 'string' && column.kind !== 'number' ? safe(value) : plain(value, column)
  const head = line(columns.map(({ name }) => safe(name)))
  return head + rows.map(row => line(columns.map(column => cell(row[column.name], column)))).join('')
}

/**
 * Rows as spreadsheets paste them: a table in HTML, and lines with tabs for the others. Every digit, and text that they would
 * run as a formula has an apostrophe before it.
 */
export function sheetOf(columns: readonly RowColumn[], rows: readonly Row[]): { html: string; text: string } {
  const cells = (row: Row) =>
    columns.map(column => {
      const text = plain(row[column.name], column)
      return column.kind === 'number' ? text : shielded(text)
    })
  const lines = [columns.map(({ name }) => shielded(name)), ...rows.map(cells)]
  const cell = (text: string) => `<td>${htmlText(text)}</td>`
  return {
    html: `<table>${lines.map(line => `<tr>${line.map(cell).join('')}</tr>`).join('')}</table>`,
    text: lines.map(line => line.map(tabbed).join('\t')).join('\r\n'),
  }
}

/** Rows as a table in Markdown: every digit, nothing for null. */
export function markdownOf(columns: readonly RowColumn[], rows: readonly Row[]): string {
  const line = (values: readonly string[]) => `| ${values.map(markdownField).join(' | ')} |\n`
  const dashes = `| ${columns.map(() => '---').join(' | ')} |\n`
  const head = line(columns.map(({ name }) => name))
  return head + dashes + rows.map(row => line(columns.map(each => plain(row[each.name], each)))).join('')
}

/** A language in which the page shows its call. */
export type CallLanguage = 'curl' | 'python' | 'javascript'

/** What runs each program, and what it needs. */
export const CALL_NEEDS: Readonly<Record<CallLanguage, string>> = {
  curl: 'For bash, zsh or another POSIX shell, not for PowerShell or fish. Set the key first: export FOLDGATE_KEY=fg_…',
  python: 'For Python 3. It reads the key from the environment variable FOLDGATE_KEY.',
  javascript:
    'For Node 20 or later, as an ES module (.mjs). It reads the key from the environment variable FOLDGATE_KEY.',
}

/** A program that sends the same call and prints its rows; Python and JavaScript read every page. */
export function callOf(language: CallLanguage, url: string, params: object): string {
  const compact = JSON.stringify(params)
  const pretty = JSON.stringify(params, null, 2)
  if (language === 'curl')
    return `curl ${shellText(url)} \\
  -H "Authorization: Bearer \${FOLDGATE_KEY:?set it to an API key}" \\
  -H 'Content-Type: application/json' \\
  -d ${shellText(compact)}
`
  if (language === 'python')
    return `import json, os, urllib.request

params = ${pythonOf(pretty)}
headers = {"Authorization": "Bearer " + os.environ["FOLDGATE_KEY"], "Content-Type": "application/json"}
while True:
    request = urllib.request.Request(${JSON.stringify(url)}, json.dumps(params).encode(), headers)
    with urllib.request.urlopen(request) as response:
        page = json.load(response)["result"]
    for row in page["items"]:
        print(row)
    if "nextCursor" not in page:
        break
    params["page"]["cursor"] = page["nextCursor"]
`
  return `const params = ${pretty}
const headers = { Authorization: \`Bearer \${process.env.FOLDGATE_KEY}\`, 'Content-Type': 'application/json' }
do {
  const response = await fetch(${JSON.stringify(url)}, { method: 'POST', headers, body: JSON.stringify(params) })
  const { result, message } = await response.json()
  if (!response.ok) throw new Error(message)
  for (const row of result.items) console.log(row)
  params.page.cursor = result.nextCursor
} while (params.page.cursor)
`
}

function plain(value: unknown, column: RowColumn): string {
  return value === null || value === undefined ? '' : fullText(value, column)
}

/** JSON as an expression of Python, which has other names for three values. */
function pythonOf(json: string): string {
  const names: Record<string, string> = { true: 'True', false: 'False', null: 'None' }
  return json.replace(/"(?:[^"\\]|\\.)*"|true|false|null/g, lexeme => names[lexeme] ?? lexeme)
}

function shielded(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

function htmlText(text: string): string {
  const escaped = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
  return text.replace(/[&<>]/g, letter => escaped[letter as '&']).replace(/\r\n|\r|\n/g, '<br>')
}

function tabbed(text: string): string {
  return /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function markdownField(text: string): string {
  return text.replace(/[\\|`*_<>[\]]/g, '\\$&').replace(/\r\n|\r|\n/g, '<br>')
}

/** A string as one word of a POSIX shell. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
