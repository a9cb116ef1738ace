import { basename } from 'node:path'
import type { ProjectSummary } from 'foldgate/client'
import { MalformedCsv, readRegular, scanCsv, UnusableFile } from 'foldgate/internal'
import {
  checkName,
  checkOrganizationKey,
  checkProjectId,
  type PackageProblem,
  parseInstant,
  quoted,
  Refusal,
} from 'foldgate-server/parts'

/** A row of organizations.csv. */
export interface PackageOrganization {
  key: string
  name: string
}

/** A row of projects.csv. */
export interface PackageProject {
  /** Its `project_key` in the tables. */
  key: string
  /** UUID, lower case. */
  id: string
  organization: string
  name: string
  state: ProjectSummary['state']
  /** Epoch milliseconds. */
  createdAt: number
}

/** A record by column name, with null for an empty field. */
interface CsvRow {
  /** The line in which it begins, as editors count. */
  line: number
  values: ReadonlyMap<string, string | null>
}

/** The parser blocks the process for about two seconds while it reads as much. */
const MOST_BYTES = 64 * 1024 ** 2

const STATES: readonly ProjectSummary['state'][] = ['computed', 'computing', 'notComputed']

/** Reads organizations.csv, and adds its problems to `problems`. */
export function readOrganizations(path: string, problems: PackageProblem[]): Promise<PackageOrganization[]> {
  return readRegister(path, problems, {
    columns: ['organization_key', 'name'],
    unique: { organization_key: organization => organization.key },
    read: get => ({
      key: get('organization_key', checkOrganizationKey),
      name: get('name', name => checkName(name, 'organization')),
    }),
  })
}

/**
 * Reads projects.csv, and adds its problems to `problems`. Organizations must be in `known`, unless that is
 * null.
 */
export function readProjects(
  path: string,
  known: ReadonlySet<string> | null,
  problems: PackageProblem[],
): Promise<PackageProject[]> {
  return readRegister(path, problems, {
    columns: ['project_key', 'project_id', 'organization_key', 'name', 'state', 'created_at'],
    unique: { project_key: project => project.key, project_id: project => project.id },
    read: get => ({
      key: get('project_key', checkProjectKey),
      id: get('project_id', checkProjectId),
      organization: get('organization_key', key => {
        if (known?.has(key) ?? true) return key
        throw new Refusal(`organizations.csv has no organization ${quoted(key)}`)
      }),
      name: get('name', name => checkName(name, 'project')),
      state: get('state', checkState),
      createdAt: get('created_at', checkInstant),
    }),
  })
}

function checkProjectKey(text: string): string {
  if (text.trim() === text) return text
  throw new Refusal(`${quoted(text)} begins or ends with a space`)
}

function checkState(text: string): ProjectSummary['state'] {
  const state = STATES.find(each => each === text)
  if (state) return state
  throw new Refusal(`${quoted(text)} is not a state: write ${STATES.join(', ')}`)
}

function checkInstant(text: string): number {
  const instant = parseInstant(text)
  if (instant !== null) return instant
  throw new Refusal(`${quoted(text)} is not an RFC 3339 date-time: write it as 2026-01-31T09:00:00Z`)
}

/** Reads the value of a column; a Refusal of `check` is a problem of that column. */
type Get = <Value>(column: string, check: (text: string) => Value) => Value

async function readRegister<Entry>(
  path: string,
  problems: PackageProblem[],
  register: {
    columns: readonly string[]
    /** Columns whose values must be unique, with the value of an entry. */
    unique: Readonly<Record<string, (entry: Entry) => string>>
    read: (get: Get) => Entry
  },
): Promise<Entry[]> {
  const place = basename(path)
  const taken = new Map<string, number>()
  const entries: Entry[] = []
  for (const { line, values } of await readRows(path, register.columns, problems)) {
    const before = problems.length
    const entry = register.read((column, check) => {
      try {
        const text = values.get(column) ?? null
        if (text === null) throw new Refusal('it is empty')
        return check(text)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        problems.push({ place, line, column, message: error.message })
        return undefined as never // the entry is not used
      }
    })
    if (problems.length > before) continue
    for (const [column, value] of Object.entries(register.unique)) {
      const held = `${column} ${value(entry)}`
      const first = taken.get(held)
      if (first === undefined) taken.set(held, line)
      else
        problems.push({
          place,
          line,
          column,
          message: `${quoted(value(entry))} stands in line ${first} already`,
        })
    }
    if (problems.length === before) entries.push(entry)
  }
  return entries
}

async function readRows(
  path: string,
  columns: readonly string[],
  problems: PackageProblem[],
): Promise<CsvRow[]> {
  const place = basename(path)
  try {
    const { columns: found, rows } = await readCsv(path)
    const missing = columns.filter(column => !found.includes(column))
    problems.push(...missing.map(column => ({ place, line: 1, column, message: 'the column is missing' })))
    return missing.length > 0 ? [] : rows
  } catch (error) {
    problems.push({ place, message: whyUnreadable(error) })
    return []
  }
}

/** Explains why a CSV file could not be read; rethrows an error that is not about the file. */
function whyUnreadable(error: unknown): string {
  if (error instanceof MalformedCsv || error instanceof UnusableFile) return error.message
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT') return 'the file is missing'
  if (code === undefined) throw error
  return `it cannot be read (${code})`
}

/**
 * Reads a CSV file with a header, of 64 MiB at most. Throws a MalformedCsv, which names the line, when it is
 * not CSV as RFC 4180 has it.
 */
async function readCsv(path: string): Promise<{ columns: string[]; rows: CsvRow[] }> {
  const { parse } = await import('csv-parse/sync')
  const bytes = await readRegular(path, MOST_BYTES)
  const { header } = await scanCsv(path)
  const records = parse(bytes, {
    bom: true,
    record_delimiter: ['\n', '\r\n'],
    skip_empty_lines: header.length > 1,
    info: true,
  }) as unknown as { record: string[]; info: { lines: number } }[]
  const rows = records.map(({ record, info }) => {
    // The parser counts the lines up to the end of the record, and its line ends are LF or CRLF.
    const within = record.join('').split('\n').length - 1
    return {
      line: info.lines - within,
      values: new Map(header.map((name, at) => [name, record[at] || null])),
    }
  })
  return { columns: header, rows: rows.slice(1) }
}
