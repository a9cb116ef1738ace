import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { SnapshotStore } from '../snapshots/store.js'
import { feedSources } from '../sources/feed.js'
import { checkOptions } from '../values/known-options.js'
import { type Base, openBase } from './append.js'
import { findTables, type PackageTables } from './package-tables.js'
import type { SealRequest } from './request.js'

/** What a package has in it, ready to be given to a process. */
export interface GatheredTables extends PackageTables {
  /** The snapshot to whose tables rows are appended; null when none are. */
  base: Base | null
  /** Removes the files that were stored for the package. */
  dispose(): Promise<void>
}

/** Throws a TypeError unless a request says what is to be sealed, of which tables. */
export function checkRequest(
  catalogue: Catalogue,
  { source, tables, append = [], partition }: Pick<SealRequest, 'source' | 'tables' | 'append' | 'partition'>,
): void {
  checkOptions('partition', partition, { column: true, value: true, known: true })
  if (source === undefined && !tables)
    throw new TypeError('there is neither a folder nor a source to be sealed')
  checkNames(catalogue, Object.keys(tables ?? {}))
  checkNames(catalogue, append)
}

/** Throws a TypeError for a name that is of no table of the catalogue. */
export function checkNames(catalogue: Catalogue, names: readonly string[]): void {
  const known = [...catalogue.relations.values()].filter(({ kind }) => kind === 'table')
  const wrong = names.find(each => !known.some(({ name }) => name === each))
  if (wrong !== undefined)
    throw new TypeError(
      `the catalogue has no table ${JSON.stringify(wrong)}: its tables are ${known.map(({ name }) => name).join(', ')}`,
    )
}

/** Stores what sources deliver, and finds the files of a package. */
export async function gather(
  { catalogue, snapshots, scratch }: { catalogue: Catalogue; snapshots: SnapshotStore; scratch: string },
  request: Pick<SealRequest, 'source' | 'tables' | 'append' | 'signal' | 'partition'> & {
    projectId?: string
    /** Tables without the column of the partition. */
    shared?: readonly string[]
  },
): Promise<GatheredTables> {
  const { signal, source, projectId } = request
  const folder = join(scratch, `sources-${randomUUID()}`)
  const dispose = () => rm(folder, { recursive: true, force: true })
  try {
    await mkdir(folder, { mode: 0o700 })
    const fed = await feedSources(feedsOf(catalogue, request), { folder, signal })
    const found = await findTables(catalogue, source, fed)
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
  {
    tables = {},
    partition,
    shared = [],
  }: Pick<SealRequest, 'tables' | 'partition'> & { shared?: readonly string[] },
) {
  const columnsOf = (name: string) => {
    const relation = catalogue.relations.get(name)
    const columns = relation?.kind === 'table' ? relation.columns : undefined
    if (!columns || !partition || shared.includes(name)) return columns ?? null
    return { ...columns, [partition.column]: columns[partition.column] ?? 'VARCHAR' }
  }
  return new Map(
    Object.entries(tables).map(([name, source]) => [name, { source, columns: columnsOf(name) }] as const),
  )
}
