import { rmSync } from 'node:fs'
import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import catalogue from '#assessed/catalogue.js'
import { freeRunners, output } from './command.js'
import { isEmbedded } from './stores.js'

type Cells = Record<string, string>

/** Ids of the projects of {@link writePackage}, by key. */
export const PROJECT_IDS = {
  late: '0a000000-0000-4000-8000-000000000001',
  early: '0a000000-0000-4000-8000-000000000002',
  running: '0a000000-0000-4000-8000-000000000003',
  idle: '0a000000-0000-4000-8000-000000000004',
}

const PROJECT_COLUMNS = ['project_key', 'project_id', 'organization_key', 'name', 'state', 'created_at', 'note']

const PROJECTS: Cells[] = [
  project('late', 'north', 'computed', '2025-03-01T09:00:00Z'),
  project('early', 'south', 'computed', '2025-01-01T09:00:00Z'),
  project('running', 'north', 'computing', '2025-04-01T09:00:00+02:00'),
  project('idle', 'north', 'notComputed', '2025-02-01T09:00:00Z'),
]

const BY_AGE = PROJECTS.toSorted((a, b) => Date.parse(a.created_at ?? '') - Date.parse(b.created_at ?? ''))

const ORGANIZATIONS: Cells[] = [
  { organization_key: 'north', name: 'The "North", Ltd' },
  { organization_key: 'south', name: 'The South' },
]

/** Writes a small package: two organizations, four projects, a group and a site in each project that has tables. */
export async function writePackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeCsv(join(folder, 'organizations.csv'), ['organization_key', 'name'], ORGANIZATIONS)
  await writeProjects(folder, PROJECTS)
  for (const table of catalogue.relations.values()) {
    if (table.kind !== 'table' || table.optional) continue
    const columns = Object.keys(table.columns ?? {})
    await writeCsv(join(folder, `${table.name}.csv`), ['project_key', ...columns], ROWS[table.name] ?? [])
  }
  await writeFile(join(folder, 'NOTICE.txt'), 'Made up.\n')
}

let added: Promise<string> | undefined

/**
 * Adds the organizations and projects of {@link writePackage}, and seals their tables, by commands of the server alone.
 * A process does so once and copies the data folder from then on, unless the store is not in it.
 */
export async function addProjects(folder: string): Promise<void> {
  if (!isEmbedded) return addInto(folder)
  added ??= addOnce()
  await cp(join(await added, 'foldgate-data'), join(folder, 'foldgate-data'), { recursive: true })
}

async function addInto(folder: string): Promise<void> {
  for (const { organization_key = '', name = '' } of ORGANIZATIONS)
    await output(folder, 'organization', 'add', organization_key, '--name', name)
  for (const { project_key, project_id = '', organization_key = '', name = '', state } of BY_AGE) {
    const flags = ['--organization', organization_key, '--name', name, '--id', project_id]
    await output(folder, 'project', 'add', ...flags)
    if (state === 'computing') await output(folder, 'assessment', 'start', project_id)
    if (state !== 'computed') continue
    await writeTables(join(folder, 'tables'), project_key)
    await output(folder, 'seal', project_id, 'tables')
  }
  freeRunners(folder)
}

async function addOnce(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-projects-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await addInto(folder)
  return folder
}

/** Rewrites projects.csv, with `change` applied to each row. */
export async function changeProjects(folder: string, change: (project: Cells) => Cells): Promise<void> {
  const changed = PROJECTS.map(each => change({ ...each }))
  await writeProjects(folder, changed)
}

/** Writes the tables of a single project, as `snapshot seal` takes them. */
export async function writeTables(folder: string, key = 'early'): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const table of catalogue.relations.values()) {
    if (table.kind !== 'table' || table.optional) continue
    const rows = (ROWS[table.name] ?? []).filter(row => row.project_key === key)
    await writeCsv(join(folder, `${table.name}.csv`), Object.keys(table.columns ?? {}), rows)
  }
}

const ROWS: Record<string, Cells[]> = {
  entities: ['late', 'early'].flatMap((key, at) => [
    { project_key: key, entity_key: 'group', entity_id: entityId(at, 1), ownership_share: '1', name: 'The group' },
    { project_key: key, entity_key: 'plant', entity_id: entityId(at, 2), parent_key: 'group', ownership_share: '0.5' },
  ]),
  sites: ['late', 'early'].map(key => ({ project_key: key, site_key: 'site', entity_key: 'plant' })),
}

function entityId(project: number, entity: number): string {
  return `0b000000-0000-4000-8000-00000000${project}00${entity}`
}

function project(key: keyof typeof PROJECT_IDS, organization: string, state: string, created: string): Cells {
  return {
    project_key: key,
    project_id: PROJECT_IDS[key].toUpperCase(),
    organization_key: organization,
    name: `The ${key} one`,
    state,
    created_at: created,
  }
}

function writeProjects(folder: string, projects: readonly Cells[]): Promise<void> {
  return writeCsv(join(folder, 'projects.csv'), PROJECT_COLUMNS, projects)
}

async function writeCsv(path: string, columns: readonly string[], rows: readonly Cells[]): Promise<void> {
  const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  const lines = rows.map(row => columns.map(column => quoted(row[column] ?? '')).join(','))
  await writeFile(path, `${[columns.join(','), ...lines].join('\n')}\n`)
}
