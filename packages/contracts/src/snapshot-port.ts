import { createHash, randomUUID } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import type { SnapshotLease, SnapshotPort } from 'foldgate'
import { parseManifest, readRegular } from 'foldgate/internal'
import { type SnapshotManifest, snapshotFiles } from 'foldgate/sealing'
import {
  type Check,
  type ContractOptions,
  contract,
  must,
  mustEndWhenAborted,
  type Subject,
  shown,
  together,
  wanted,
} from './contract.js'
import { oddIds } from './odd-ids.js'

/** A port of snapshots to check. Each check uses new project ids, which have no snapshots yet. */
export interface SnapshotSubject extends Subject<SnapshotPort> {
  /**
   * Seals another snapshot of a project, as the host would, and returns its id. A sealer publishes no
   * rows again that are as they were: give each snapshot a new `assessmentId`, or another row. Checks also make several calls at once.
   */
  seal(projectId: string): Promise<string>
  /**
   * Removes a snapshot, as the host would. While the snapshot is leased, it may be removed later or not at
   * all.
   */
  remove(projectId: string, snapshotId: string): Promise<unknown>
}

/**
 * Returns the checks that a `SnapshotPort` must pass. Each check makes its own subject with `makeSubject` when it runs.
 *
 * @param makeSubject - Makes a port without snapshots, `seal()`, which seals a snapshot as the host would and returns
 * its id, and `remove()`, which removes one. It may have `close()`, which the check calls at its end.
 * @param options - How long a call may take before it counts as hanging: `patienceMs`, default 10,000 ms.
 * @returns The checks, to be registered with a test runner. `run` rejects with an error that says what the subject did
 * and what it should do.
 *
 * @example
 * ```ts
 * const checks = snapshotPortContract(() => {
 *   const archive = new Archive()
 *   return {
 *     port: archive.snapshots,
 *     seal: projectId => archive.seal(projectId, 'test/tables'),
 *     remove: (projectId, snapshotId) => archive.remove(projectId, snapshotId),
 *   }
 * })
 * for (const { name, run } of checks) it(name, run)
 * ```
 */
export function snapshotPortContract(
  makeSubject: () => SnapshotSubject | Promise<SnapshotSubject>,
  options: ContractOptions = {},
): Check[] {
  return contract(makeSubject, CHECKS, options)
}

/** A lease on files of a snapshot. */
interface Held extends SnapshotLease {
  manifest: SnapshotManifest
  /** Names of the files. */
  names: readonly string[]
}

/** The manifest of a sealed snapshot. */
async function manifestIn(
  port: SnapshotPort,
  projectId: string,
  snapshotId: string,
): Promise<SnapshotManifest> {
  const text = await port.manifestOf(projectId, snapshotId, wanted())
  must(text !== null, 'manifestOf() of a sealed snapshot answered null', 'answer the text')
  const manifest = parseManifest(text)
  must(manifest !== null, 'a snapshot was of another format', 'be one that this version has sealed')
  must(
    manifest.projectId === projectId && manifest.snapshotId === snapshotId,
    'manifestOf() answered the manifest of another snapshot',
    'be of the project and the snapshot asked for',
  )
  return manifest
}

/** Takes a lease on files of a sealed snapshot, by default all. */
async function hold(
  port: SnapshotPort,
  projectId: string,
  snapshotId: string,
  given?: readonly string[],
): Promise<Held> {
  const manifest = await manifestIn(port, projectId, snapshotId)
  const names = given ?? snapshotFiles(manifest).map(({ file }) => file)
  const lease = await port.open(projectId, snapshotId, names, wanted())
  must(lease !== null, `open() of a sealed snapshot for ${shown(names)} answered null`, 'answer a lease')
  return { ...lease, manifest, names }
}

/** Fails unless the files of a lease are as they were sealed. */
async function mustBeWhole({ folder, manifest, names }: Held, when: string): Promise<void> {
  must(isAbsolute(folder), `a lease had the folder ${shown(folder)}`, 'have an absolute path')
  const read = <Value>(reading: Promise<Value>, what: string) =>
    reading.catch((cause: NodeJS.ErrnoException) => {
      must(
        false,
        `${what} of a snapshot ${when} could not be read (${cause.code ?? cause.message})`,
        'stay there, whole',
      )
    })
  for (const { file, sha256 } of snapshotFiles(manifest)) {
    if (!names.includes(file)) continue
    const bytes = await read(readRegular(join(folder, file)), file)
    const found = createHash('sha256').update(bytes).digest('hex')
    must(found === sha256, `${file} of a snapshot ${when} was not as it was sealed`, 'stay as it is')
  }
}

async function mustList(port: SnapshotPort, projectId: string, expected: readonly string[], when: string) {
  const found = await port.list(projectId, wanted())
  const alike =
    Array.isArray(found) && found.length === expected.length && found.every((id, at) => id === expected[at])
  must(alike, `list() ${when} answered ${shown(found)}`, `answer ${shown(expected)}`)
}

async function mustNotOpen({ port }: SnapshotSubject, projectId: string, snapshotId: string, what: string) {
  const rejected = (verb: string) => (cause: unknown) =>
    must(false, `${verb}() of ${what} rejected with ${cause}`, 'answer null')
  const lease = await port.open(projectId, snapshotId, [], wanted()).catch(rejected('open'))
  await lease?.release()
  must(lease === null, `open() of ${what} answered a lease`, 'answer null')
  const text = await port.manifestOf(projectId, snapshotId, wanted()).catch(rejected('manifestOf'))
  must(text === null, `manifestOf() of ${what} answered ${shown(text)}`, 'answer null')
}

const CHECKS = {
  async 'lists the snapshots of a project, the newest first'({ port, seal }: SnapshotSubject) {
    const [projectId, other] = [randomUUID(), randomUUID()]
    await mustList(port, projectId, [], 'of a project without any')
    const sealed: string[] = []
    for (let at = 0; at < 12; at++) sealed.unshift(await seal(projectId))
    const foreign = await seal(other)
    await mustList(port, projectId, sealed, 'of a project with 12')
    await mustList(port, other, [foreign], 'of another project')
  },

  async 'opens a snapshot as it was sealed'({ port, seal }: SnapshotSubject) {
    const projectId = randomUUID()
    const snapshotId = await seal(projectId)
    const lease = await hold(port, projectId, snapshotId)
    must(
      lease.snapshotId === snapshotId,
      `open() answered the snapshot ${shown(lease.snapshotId)}`,
      'be the one asked for',
    )
    await mustBeWhole(lease, 'that is held')
    await lease.release()
  },

  async 'answers null for a snapshot that does not exist'(subject: SnapshotSubject) {
    const [projectId, other] = [randomUUID(), randomUUID()]
    const snapshotId = await subject.seal(projectId)
    await subject.seal(other)
    await mustNotOpen(subject, other, snapshotId, 'a snapshot of another project')
    await mustNotOpen(subject, randomUUID(), snapshotId, 'a snapshot of an unknown project')
    for (const id of oddIds(projectId, snapshotId))
      await mustNotOpen(subject, projectId, id, `the id ${shown(id)}`)
  },

  async 'opens a snapshot for some of its files'({ port, seal, remove }: SnapshotSubject) {
    const projectId = randomUUID()
    const snapshotId = await seal(projectId)
    await seal(projectId)
    const files = snapshotFiles(await manifestIn(port, projectId, snapshotId)).map(({ file }) => file)
    const none = await hold(port, projectId, snapshotId, [])
    const each = await together(files.map(file => hold(port, projectId, snapshotId, [file])))
    for (const lease of [none, ...each]) {
      await mustBeWhole(lease, `that is held for ${shown(lease.names)}`)
      await lease.release()
    }
    const last = await hold(port, projectId, snapshotId, files.slice(-1))
    await remove(projectId, snapshotId)
    await mustBeWhole(last, 'that is held for one file while it is removed').finally(last.release)
  },

  async 'holds a snapshot for many at once'({ port, seal }: SnapshotSubject) {
    const projectId = randomUUID()
    const snapshotId = await seal(projectId)
    const leases = await together(Array.from({ length: 10 }, () => hold(port, projectId, snapshotId)))
    await together(leases.map(lease => mustBeWhole(lease, 'that many hold')))
    await together(leases.map(lease => lease.release()))
    const again = await hold(port, projectId, snapshotId)
    await mustBeWhole(again, 'that is opened again')
    await again.release()
  },

  async 'keeps a snapshot whole for as long as anybody holds it'({ port, seal, remove }: SnapshotSubject) {
    const projectId = randomUUID()
    const snapshotId = await seal(projectId)
    await seal(projectId)
    const [first, second] = [await hold(port, projectId, snapshotId), await hold(port, projectId, snapshotId)]
    await remove(projectId, snapshotId)
    await mustBeWhole(second, 'that is held while it is removed')
    await first.release()
    await first.release() // a second release must not end the other lease
    await remove(projectId, snapshotId)
    await mustBeWhole(second, 'that somebody else has given back')
    await second.release()
  },

  async 'forgets a snapshot that was removed'(subject: SnapshotSubject) {
    const projectId = randomUUID()
    const snapshotId = await subject.seal(projectId)
    const newest = await subject.seal(projectId)
    const lease = await hold(subject.port, projectId, snapshotId)
    await lease.release()
    await subject.remove(projectId, snapshotId)
    await mustList(subject.port, projectId, [newest], 'after one was removed')
  },

  async 'shows a snapshot when it is whole, and not before'({ port, seal }: SnapshotSubject) {
    const projectId = randomUUID()
    let over = false
    const sealing = together(Array.from({ length: 3 }, async () => seal(projectId))).finally(() => {
      over = true
    })
    try {
      for (let last = false; !last; ) {
        last = over
        for (const snapshotId of await port.list(projectId, wanted())) {
          const lease = await hold(port, projectId, snapshotId)
          await mustBeWhole(lease, 'that was sealed a moment ago')
          await lease.release()
        }
        await new Promise(setImmediate)
      }
    } finally {
      await sealing.catch(() => {}) // nothing is sealed any more when the check has failed
    }
    const listed = await port.list(projectId, wanted())
    const alike = [...listed].sort().join() === [...(await sealing)].sort().join()
    must(alike, `list() after three were sealed at once answered ${shown(listed)}`, 'answer all of them')
  },

  async 'lets no call hang when its answer is no longer wanted'({ port, seal }: SnapshotSubject) {
    const projectId = randomUUID()
    const snapshotId = await seal(projectId)
    const files = snapshotFiles(await manifestIn(port, projectId, snapshotId)).map(({ file }) => file)
    await mustEndWhenAborted(signal => port.list(projectId, signal))
    await mustEndWhenAborted(signal => port.manifestOf(projectId, snapshotId, signal))
    await mustEndWhenAborted(async signal =>
      (await port.open(projectId, snapshotId, files, signal))?.release(),
    )
    const lease = await hold(port, projectId, snapshotId)
    await mustBeWhole(lease, 'that others have not waited for')
    await lease.release()
  },
}
