import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.js'
import { type TableDefinition, unitColumns } from '../catalogue/definitions.js'
import { fileOf } from '../files/given-names.js'
import type { SealProblem } from '../model.js'
import type { SnapshotStore } from '../snapshots/store.js'
import { type FedTable, feedSources, type TableFeed } from '../sources/feed.js'
import { areSources, findSources, isFolder } from '../sources/files.js'
import type { TableSource } from '../sources/source.js'
import { type Base, openBase } from './append.js'
import type { SealTable } from './job.js'
import type { HostFile } from './process.js'
import type { SealRequest } from './request.js'
import { type Candidates, type ComparedVersions, compareVersions, stillTold } from './versions.js'

/** What a package has in it, ready to be given to a process. */
export interface GatheredTables extends Omit<ComparedVersions, 'only'> {
  tables: SealTable[]
  files: HostFile[]
  /** What is wrong with the names of files. */
  problems: SealProblem[]
  /** Files of the folder that belong to no table. */
  leftOut: string[]
  /** The snapshot to whose tables rows are appended; null when none are. */
  base: Base | null
  /** Removes the files that were stored for the package. */
  dispose(): Promise<void>
}

/** Throws a TypeError unless a request says what is to be sealed, of which tables. */
export function checkRequest(
  catalogue: Catalogue,
  { tables, append = [] }: Pick<SealRequest, 'tables' | 'append'>,
): void {
  if (typeof tables === 'string')
    throw new TypeError(`tables is a string: write fromFolder(${JSON.stringify(tables)})`)
  if (!isFolder(tables) && !areSources(tables))
    throw new TypeError(
      `tables is ${tables === undefined ? 'missing' : 'no object'}: give a source for each table, or fromFolder() with their folder`,
    )
  checkNames(catalogue, Object.keys(isFolder(tables) ? tables.others : tables), 'tables')
  checkNames(catalogue, append, 'append')
}

/** Throws a TypeError for a name that is of no table of the catalogue, and for what is no list of names. */
export function checkNames(catalogue: Catalogue, names: readonly string[], option: string): void {
  if (!Array.isArray(names)) throw new TypeError(`${option} is no list of names of tables`)
  const known = tablesOf(catalogue)
  const wrong = names.find(each => !known.some(({ name }) => name === each))
  if (wrong !== undefined)
    throw new TypeError(
      `the catalogue has no table ${JSON.stringify(wrong)}: its tables are ${known.map(({ name }) => name).join(', ')}`,
    )
}

/** Stores what sources deliver, and finds the files of a package. */
export async function gather(
  { catalogue, snapshots, scratch }: { catalogue: Catalogue; snapshots: SnapshotStore; scratch: string },
  request: Pick<SealRequest, 'tables' | 'append' | 'signal' | 'by'> & {
    projectId?: string
    /** Whose rows are not read while sources tell the versions of the newest snapshots. Default: all are read. */
    candidates?: Candidates
    /** Tables without the column that tells whose the rows are. Default: any may be without it. */
    shared?: readonly string[]
  },
): Promise<GatheredTables> {
  const { signal, projectId, candidates } = request
  const folder = join(scratch, `sources-${randomUUID()}`)
  const dispose = () => rm(folder, { recursive: true, force: true })
  try {
    await mkdir(folder, { mode: 0o700 })
    const { sources, problems, leftOut } = await findSources(request.tables, tablesOf(catalogue))
    const feeds = feedsOf(catalogue, sources, request)
    const { only, ...compared }: ComparedVersions =
      candidates && !request.append?.length && problems.length === 0
        ? await compareVersions(feeds, { catalogue, snapshots }, { ...request, ...candidates })
        : { versions: null, unchanged: new Map(), isRead: true }
    if (!compared.isRead)
      return { ...compared, tables: [], files: [], problems, leftOut, base: null, dispose }
    for (const feed of feeds.values()) if (feed.by !== undefined) feed.only = only
    const fed = await feedSources(feeds, { folder, signal })
    const found = {
      tables: tablesOf(catalogue).flatMap(definition => {
        const source = fed.find(({ table }) => table === definition.name)
        return source ? sealTable(definition, source, catalogue) : []
      }),
      files: fed.map(({ table, format, path }) => ({ name: fileOf(table, format), path })),
      problems,
      leftOut,
      ...compared,
      versions: await stillTold(compared.versions, feeds, catalogue, request),
    }
    const base =
      projectId === undefined ? null : await openBase(snapshots, { ...request, projectId }, found.tables)
    if (!base) return { ...found, base, dispose }
    return {
      ...found,
      tables: base.tables,
      files: [...found.files, ...base.files],
      problems: [...found.problems, ...base.problems],
      base,
      dispose: () => Promise.all([base.release(), dispose()]).then(() => {}),
    }
  } catch (cause) {
    await dispose()
    throw cause
  }
}

/** The sources, each with the types of its table in the catalogue, and of the column that separates projects. */
function feedsOf(
  catalogue: Catalogue,
  sources: ReadonlyMap<string, TableSource>,
  { by, shared }: Pick<SealRequest, 'by'> & { shared?: readonly string[] },
): Map<string, TableFeed> {
  // Named tables are those without the column; else, any may lack it.
  const optional = shared ? undefined : by
  const columnsOf = (name: string) => {
    const relation = catalogue.relations.get(name)
    const columns = relation?.kind === 'table' ? relation.columns : undefined
    if (!columns || by === undefined || shared?.includes(name)) return columns ?? null
    return { ...columns, [by]: 'VARCHAR' }
  }
  return new Map(
    [...sources].map(([name, source]) => {
      const separated = shared && !shared.includes(name) ? by : undefined
      return [name, { source, columns: columnsOf(name), optional, by: separated }]
    }),
  )
}

/** The tables that a catalogue defines. */
export function tablesOf({ relations }: Catalogue): TableDefinition[] {
  return [...relations.values()].filter(relation => relation.kind === 'table')
}

function sealTable(
  definition: TableDefinition,
  { format, isOrdered, types }: FedTable,
  catalogue: Catalogue,
): SealTable {
  const { name, columns, required, unique, references, ranges, values, warnings, lossy } = definition
  const { hierarchy } = catalogue
  const targets = tablesOf(catalogue)
    .flatMap(table => Object.values(table.references))
    .flatMap(target => (target.startsWith(`${name}.`) ? [target.slice(name.length + 1)] : []))
  const ofTree =
    hierarchy?.table === name ? [hierarchy.key, hierarchy.parent, hierarchy.id, hierarchy.share] : []
  const named = [
    ...required,
    ...unique,
    ...[references, ranges, values].flatMap(checks => Object.keys(checks)),
    ...catalogue.rules.flatMap(rule => (rule.table === name ? rule.column : [])),
    ...targets,
    ...ofTree,
  ]
  return {
    ...{ name, required, unique, references, ranges, values, warnings, lossy },
    ...{ format, isOrdered, sourceTypes: types, before: null },
    columns: columns ?? null,
    units: unitColumns(definition.meanings),
    named: [...new Set(named)],
    isOfProject: reachesEntities(definition, catalogue),
  }
}

/** Whether a table is that of the entities, or refers to it, perhaps by way of other tables. */
function reachesEntities(
  table: TableDefinition,
  catalogue: Catalogue,
  seen: readonly string[] = [],
): boolean {
  if (catalogue.hierarchy === null) return true // every table may have rows of several projects
  if (table.name === catalogue.hierarchy.table) return true
  const targets = Object.values(table.references).map(target => target.split('.')[0] ?? '')
  return targets
    .filter(name => !seen.includes(name))
    .map(name => catalogue.relations.get(name))
    .some(next => next?.kind === 'table' && reachesEntities(next, catalogue, [...seen, table.name]))
}
