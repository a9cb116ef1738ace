import { basename } from 'node:path'
import type { ProjectState } from 'foldgate'
import { parseInstant } from '../store/instants.js'
import { checkName, quoted } from '../store/names.js'
import { checkOrganizationKey } from '../store/organizations.js'
import { checkProjectId } from '../store/projects.js'
import { Refusal } from '../store/refusal.js'
import { type CsvRow, readCsv } from './csv.js'
import { type PackageProblem, whyUnreadable } from './problems.js'

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
  state: ProjectState
  /** Epoch milliseconds. */
  createdAt: number
}

const STATES: readonly ProjectState[] = ['computed', 'computing', 'notComputed']

/** Reads organizations.csv, and adds its problems to `problems`. */
export function readOrganizations(path: string, problems: PackageProblem[]): Promise<PackageOrganization[]> {
  return readRegister(path, problems, {
    columns: ['organization_key', 'name'],
    unique: { organization_key: organization => organization.key },
    read: row => ({
      key: field(row, 'organization_key', checkOrganizationKey),
      name: field(row, 'name', name => checkName(name, 'organization')),
    }),
  })
}

/** Reads projects.csv, and adds its problems to `problems`. Organizations must be in `known`, unless that is null. */
export function readProjects(
  path: string,
  known: ReadonlySet<string> | null,
  problems: PackageProblem[],
): Promise<PackageProject[]> {
  return readRegister(path, problems, {
    columns: ['project_key', 'project_id', 'organization_key', 'name', 'state', 'created_at'],
    unique: { project_key: project => project.key, project_id: project => project.id },
    read: row => ({
      key: field(row, 'project_key', key => key),
      id: field(row, 'project_id', checkProjectId),
      organization: field(row, 'organization_key', key => {
        if (known?.has(key) ?? true) return key
        throw new Refusal(`organizations.csv has no organization ${quoted(key)}`)
      }),
      name: field(row, 'name', name => checkName(name, 'project')),
      state: field(row, 'state', checkState),
      createdAt: field(row, 'created_at', checkInstant),
    }),
  })
}

function checkState(text: string): ProjectState {
  const state = STATES.find(each => each === text)
  if (state) return state
  throw new Refusal(`${quoted(text)} is not a state: write ${STATES.join(', ')}`)
}

function checkInstant(text: string): number {
  const instant = parseInstant(text)
  if (instant !== null) return instant
  throw new Refusal(`${quoted(text)} is not an RFC 3339 date-time: write it as 2026-01-31T09:00:00Z`)
}

/** A Refusal of the value in one column. */
class FieldRefusal extends Refusal {
  readonly column: string

  constructor(column: string, message: string) {
    super(message)
    this.column = column
  }
}

function field<Value>(row: CsvRow, column: string, check: (text: string) => Value): Value {
  try {
    const text = row.values.get(column) ?? null
    if (text === null) throw new Refusal('it is empty')
    return check(text)
  } catch (error) {
    if (error instanceof Refusal) throw new FieldRefusal(column, error.message)
    throw error
  }
}

async function readRegister<Entry>(
  path: string,
  problems: PackageProblem[],
  register: {
    columns: readonly string[]
    /** Columns whose values must be unique, with the value of an entry. */
    unique: Readonly<Record<string, (entry: Entry) => string>>
    read: (row: CsvRow) => Entry
  },
): Promise<Entry[]> {
  const place = basename(path)
  const taken = new Map<string, number>()
  const entries: Entry[] = []
  for (const row of await readRows(path, register.columns, problems)) {
    try {
      const entry = register.read(row)
      for (const [column, value] of Object.entries(register.unique)) {
        const held = `${column} ${value(entry)}`
        const first = taken.get(held)
        if (first !== undefined)
          throw new FieldRefusal(column, `${quoted(value(entry))} stands in line ${first} already`)
        taken.set(held, row.line)
      }
      entries.push(entry)
    } catch (error) {
      if (!(error instanceof FieldRefusal)) throw error
      problems.push({ place, line: row.line, column: error.column, message: error.message })
    }
  }
  return entries
}

async function readRows(path: string, columns: readonly string[], problems: PackageProblem[]): Promise<CsvRow[]> {
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
