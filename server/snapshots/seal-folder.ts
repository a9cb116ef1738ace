import { fromFolder, SealError, type Sealer, SealerError, type SealRequest } from 'foldgate/sealing'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import type { DataFolder } from './data-folder.js'
import { filesOf, ofOneProject } from './folder-tables.js'
import { ofTable, packageRefusal } from './problems.js'
import { withSealer } from './with-sealer.js'

/** The tables of one project, to be sealed. */
type TablesToSeal = Pick<SealRequest, 'projectId' | 'assessmentId' | 'tables'> & { signal: AbortSignal }
/** The newest snapshot after a sealing, and the names of files that belong to no table. */
type SealedTables = Awaited<ReturnType<Sealer['seal']>>
/** Records a snapshot in the store; false when the project was removed meanwhile. */
type Record = (sealed: SealedTables) => Promise<boolean>

/**
 * Seals the tables of a folder, which the caller then records in the store with `record`. Throws a Refusal that
 * lists all problems of the tables, and when the folder or the project is not there; nothing is sealed then.
 */
export async function sealFolder(
  data: DataFolder,
  { source, ...request }: Omit<TablesToSeal, 'tables'> & { source: string },
  record: Record,
) {
  await filesOf(source)
  return sealTables(
    data,
    { ...request, tables: fromFolder(source) },
    { what: `The tables of ${quoted(source)}`, advice: 'correct the files' },
    record,
  )
}

/** Seals tables as {@link sealFolder} does. A Refusal names them by `what`, and ends with the `advice`. */
export async function sealTables(
  data: DataFolder,
  tables: TablesToSeal,
  { what, advice }: { what: string; advice: string },
  record: Record,
): Promise<SealedTables> {
  const sealed = await withSealer(data, data.shared.snapshots, async startSealer => {
    const sealer = await startSealer()
    tables.signal.throwIfAborted()
    return sealer.seal({ ...ofOneProject(data.catalogue), ...tables })
  }).catch(cause => {
    if (cause instanceof SealerError && cause.reason === 'source')
      throw new Refusal(`Nothing was sealed: ${cause.message}`, { cause })
    if (!(cause instanceof SealError)) throw cause
    throw packageRefusal(
      `${what} cannot be sealed, and nothing was sealed:`,
      cause.problems.map(ofTable),
      advice,
    )
  })
  if (!(await record(sealed)))
    throw new Refusal(
      `The project ${tables.projectId} was removed while its tables were sealed: nothing was kept`,
    )
  return sealed
}
