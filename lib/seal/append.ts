import { join } from 'node:path'
import { BEFORE } from '../files/given-names.js'
import { workOfNobody } from '../flow/work.js'
import type { SealProblem } from '../model.js'
import { snapshotFiles, tableFiles } from '../snapshots/manifest.js'
import type { SnapshotStore } from '../snapshots/store.js'
import type { SealTable, TableBefore } from './job.js'
import type { HostFile } from './process.js'

const WHOLE = 'seal all rows of the table, without "append"'

/** The snapshot to whose tables rows are appended, as long as it is not released. */
export interface Base {
  /** Null when there is none, which is a problem. */
  snapshotId: string | null
  /** The tables, which know what rows are added to. */
  tables: SealTable[]
  /** What is wrong with what is to be appended. */
  problems: SealProblem[]
  /** The files that the process is given. */
  files: HostFile[]
  release(): Promise<void>
}

/**
 * Opens the newest snapshot of a project, to append to some of its tables. Null when nothing is appended.
 */
export async function openBase(
  snapshots: SnapshotStore,
  { projectId, append = [], signal = workOfNobody().signal }: Appending,
  tables: readonly SealTable[],
): Promise<Base | null> {
  const appended = tables.filter(({ name }) => append.includes(name))
  if (append.length === 0) return null
  const without = append.filter(name => !appended.some(table => table.name === name))
  const [newest] = await snapshots.list(projectId, signal)
  const manifest = (await snapshots.manifests(projectId)).find(({ snapshotId }) => snapshotId === newest)
  const noRows = without.map(table => ({
    table,
    message: 'there are no rows to be appended: give a source of them',
  }))
  const problem = (message: string) =>
    appended.map(({ name }) => ({ table: name, message: `${message}: ${WHOLE}` }))
  if (!manifest) {
    const isThere = newest !== undefined
    const problems = problem(
      isThere
        ? 'the newest snapshot of the project is in a format of another version, so nothing can be appended to it'
        : 'the project has no snapshot to which rows could be appended',
    )
    return { ...NOTHING, snapshotId: newest ?? null, tables: [...tables], problems: [...noRows, ...problems] }
  }
  snapshotFiles(manifest) // checks the names of the files
  const stored = new Map(manifest.tables.map(table => [table.name, table]))
  const found = appended.flatMap(({ name }) => stored.get(name) ?? [])
  const lacking = appended.filter(({ name }) => !stored.has(name))
  const problems = [
    ...noRows,
    ...lacking.map(({ name }) => ({
      table: name,
      message: `the newest snapshot of the project lacks it: ${WHOLE}`,
    })),
  ]
  const names = found.flatMap(tableFiles).map(({ file }) => file)
  const lease = await snapshots.open(projectId, manifest.snapshotId, names, signal)
  if (!lease) throw new Error('the newest snapshot of the project was removed')
  try {
    const before = new Map<string, TableBefore>()
    for (const table of found) {
      const { name, rows, columns, statistics } = table
      before.set(name, {
        rows,
        columns,
        files: [...tableFiles(table)],
        ...(statistics ? { statistics } : {}),
      })
    }
    return {
      snapshotId: manifest.snapshotId,
      tables: tables.map(table => ({ ...table, before: before.get(table.name) ?? null })),
      problems,
      files: names.map(file => ({ name: join(BEFORE, file), path: join(lease.folder, file) })),
      release: () => lease.release(),
    }
  } catch (cause) {
    await lease.release()
    throw cause
  }
}

interface Appending {
  projectId: string
  append?: readonly string[]
  signal?: AbortSignal
}

const NOTHING = { files: [], release: async () => {} }
