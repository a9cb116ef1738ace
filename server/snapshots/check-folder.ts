import { lstat, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Catalogue, directorySnapshots } from 'foldgate'
import type { SandboxMode } from 'foldgate/internal'
import { fromFolder, SealError } from 'foldgate/sealing'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { type CheckSummary, filesOf, isPackage, ofOneProject, requirePackages } from './folder-tables.js'
import { makeFolder } from './make-folder.js'
import { ofTable } from './problems.js'
import { withSealer } from './with-sealer.js'

/**
 * Checks a folder as sealing and importing do, without a store, and writes only temporary files, below the
 * scratch folder of a data folder, or else in the temporary folder of the system. A folder with
 * organizations.csv or projects.csv is a package to import; any other has the tables of one project.
 */
export async function checkFolderToSeal(
  folder: string,
  options: { catalogue: Catalogue; scratch: string | null; sandbox?: SandboxMode; signal?: AbortSignal },
): Promise<CheckSummary> {
  const { catalogue, sandbox = 'auto', signal } = options
  const packages = isPackage(await filesOf(folder), catalogue) ? await requirePackages() : null
  const scratch = options.scratch ?? (await temporaryScratch())
  try {
    return await withSealer(
      { catalogue, scratch, sandbox },
      directorySnapshots(join(scratch, 'snapshots')),
      async startSealer => {
        if (packages) return packages.checkPackage(startSealer, folder, { catalogue, signal })
        const sealer = await startSealer()
        signal?.throwIfAborted()
        const request = {
          tables: fromFolder(folder),
          ...ofOneProject(catalogue),
          ...(signal ? { signal } : {}),
        }
        try {
          const { warnings, leftOut } = await sealer.check(request)
          return { projects: null, problems: [], warnings: warnings.map(ofTable), leftOut }
        } catch (error) {
          if (!(error instanceof SealError)) throw error
          return { projects: null, problems: error.problems.map(ofTable), warnings: [], leftOut: [] }
        }
      },
    )
  } finally {
    if (options.scratch === null) await rmdir(scratch).catch(() => {}) // another check may be under way
  }
}

/**
 * A folder of this user in the temporary folder, always the same, so that a check
 * removes what a killed one left.
 */
async function temporaryScratch(): Promise<string> {
  const scratch = join(tmpdir(), `foldgate-check-${process.getuid?.() ?? 'user'}`)
  await makeFolder(scratch)
  const found = await lstat(scratch)
  if (found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) return scratch
  throw new Refusal(`The folder ${quoted(scratch)} belongs to another user: name a data folder with --data`)
}
