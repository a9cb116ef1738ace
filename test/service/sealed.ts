import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Catalogue, type DirectorySnapshots, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, type SnapshotManifest } from 'foldgate/sealing'
import reference from '#assessed/catalogue.js'
import { knowSound } from '#lib/duckdb/check/sound-catalogue.js'
import { catalogue as small } from './catalogue.js'
import { shop } from './shop.js'

/** Catalogues that the tests of the check of a catalogue check, which takes seconds: a sealer need not do so as well. */
export const SOUND: readonly Catalogue[] = [shop, small, reference]

/** What is sealed: the files of a package, and the catalogue that says what they are. */
interface Package {
  catalogue: Catalogue
  files: Readonly<Record<string, string>>
}

/** A snapshot, and the folder of its files. */
interface Sealed {
  manifest: SnapshotManifest
  folder: string
}

/** The folder of all that is sealed here. */
const home = mkdtempSync(join(tmpdir(), 'foldgate-test-sealed-'))
process.once('exit', () => rmSync(home, { recursive: true, force: true }))
/** The snapshots that were sealed, by catalogue and by the digest of the files. */
const known = new Map<Catalogue, Map<string, Promise<Sealed>>>()

/**
 * Publishes a package as the newest snapshot of a project, and returns the snapshot's id. A process seals each package
 * once and publishes copies from then on, since to seal one takes longer than all else that a service needs for its start.
 */
export async function publishPackage(one: Package, projectId: string, snapshots: DirectorySnapshots): Promise<string> {
  const { manifest, folder } = await sealedOf(one)
  const draft = join(home, randomUUID())
  await cp(folder, draft, { recursive: true })
  const { snapshotId: _, ...contents } = manifest
  const sealedAt = new Date().toISOString()
  const published = await snapshots.publish(draft, { ...contents, projectId, assessmentId: randomUUID(), sealedAt })
  return published.manifest.snapshotId
}

function sealedOf(one: Package): Promise<Sealed> {
  const ofCatalogue = known.get(one.catalogue) ?? new Map<string, Promise<Sealed>>()
  known.set(one.catalogue, ofCatalogue)
  const digest = createHash('sha256').update(JSON.stringify(one.files)).digest('hex')
  const sealed = ofCatalogue.get(digest) ?? seal(one)
  ofCatalogue.set(digest, sealed)
  return sealed
}

async function seal({ catalogue, files }: Package): Promise<Sealed> {
  if (SOUND.includes(catalogue)) knowSound(catalogue)
  const folder = join(home, randomUUID())
  const source = join(folder, 'package')
  await mkdir(source, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(source, name), text)
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  try {
    const projectId = randomUUID()
    const { manifest } = await sealer.seal({ projectId, assessmentId: randomUUID(), tables: fromFolder(source) })
    return { manifest, folder: join(folder, 'snapshots', 'tables', projectId) }
  } finally {
    await sealer.close()
  }
}
