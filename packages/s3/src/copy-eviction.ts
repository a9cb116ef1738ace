import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing, isProjectId, isSnapshotId, Places, type SnapshotFolder } from 'foldgate/internal'
import { inParallel } from './bucket.js'
import { ReservedBytes } from './reserved-bytes.js'

/** Folder of what processes have reserved, beside the copies. */
const RESERVED = '.reserved'
/** File in it with the sizes of copies, which spares later processes to measure them file by file. */
const SIZES = 'sizes.json'
/**
 * Once the bound is passed, copies are removed until their bytes fill this part of it, so that copies are seldom
 * measured.
 */
const FILLED = 0.9
/** Copies that one call removes at most beyond what it needs. */
const MOST_AHEAD = 100
const MEASURED_AT_ONCE = 16

/** A file, which several copies may have; 0 is the inode of one that is not known to be shared. */
type Sized = readonly [inode: number, bytes: number]

/** A copy that was measured. Files are only ever added to a folder, so as many files are the same files. */
interface MeasuredCopy {
  /** Identifies the folder. */
  folder: string
  files: readonly Sized[]
}

/** A copy that can be removed. */
interface Evictable {
  projectId: string
  snapshotId: string
  files: readonly Sized[]
  usedAt: number
}

/** The bytes of files, each of which counts once in however many folders it is. */
class Usage {
  bytes = 0
  readonly #links = new Map<number, number>()

  add(files: readonly Sized[]): void {
    for (const [inode, bytes] of files) {
      const links = inode === 0 ? 0 : (this.#links.get(inode) ?? 0)
      this.#links.set(inode, links + 1)
      if (links === 0) this.bytes += bytes
    }
  }

  remove(files: readonly Sized[]): void {
    for (const [inode, bytes] of files) {
      const links = inode === 0 ? 1 : (this.#links.get(inode) ?? 0)
      this.#links.set(inode, links - 1)
      if (links === 1) this.bytes -= bytes
    }
  }
}

/** There is no room beside the copies in use. */
export class NoRoom extends Error {}

/** Keeps the copies in a folder within a bound: removes those that were used least recently. */
export class CopyEviction {
  readonly #folder: SnapshotFolder
  readonly #bytes: number
  readonly #reserved: ReservedBytes
  readonly #sizesFile: string
  #sizes: Map<string, MeasuredCopy> | null = null
  readonly #turns = new Places(1)

  constructor(folder: SnapshotFolder, bytes: number) {
    this.#folder = folder
    this.#bytes = bytes
    const reserved = join(folder.root, RESERVED)
    this.#reserved = new ReservedBytes(reserved)
    this.#sizesFile = join(reserved, SIZES)
  }

  /**
   * Runs work that gives files their size, makes room for them, and removes them if there is none. A process does so for
   * one draft at a time: none would find room beside others that have not found it yet.
   */
  inTurn<Made>(work: () => Promise<Made>): Promise<Made> {
    return this.#turns.run({}, work)
  }

  /**
   * Reserves bytes for files that have their size in a draft already, and removes copies until all of them are
   * within the bound. Throws a {@link NoRoom} when those in use take too much. Calls must not overlap.
   */
  async makeRoom(bytes: number, snapshotId: string): Promise<void> {
    await this.#reserved.add(bytes)
    const total = await this.#reserved.total()
    if (total !== null && total <= this.#bytes) return
    const left = await this.#evict()
    if (left > this.#bytes)
      throw new NoRoom(
        `there is no room for a copy of the snapshot ${snapshotId}: with those in use, it would take ${left} bytes, ` +
          `and copies may take ${this.#bytes}`,
      )
  }

  /** Measures all files, removes copies, and returns the bytes that are left. */
  async #evict(): Promise<number> {
    await this.#folder.drafts.sweep() // what a killed process has left takes room
    const ledgers = await this.#reserved.ledgers()
    const { copies, usage } = await this.#measure()
    let ahead = 0
    let failure: unknown
    for (const copy of copies.sort((a, b) => a.usedAt - b.usedAt)) {
      const isEnough = usage.bytes <= this.#bytes
      if (isEnough && (usage.bytes <= this.#bytes * FILLED || ahead++ >= MOST_AHEAD)) break
      // A copy that cannot be removed does not keep the others from being removed.
      const isRemoved = await this.#folder.remove(copy.projectId, copy.snapshotId).catch(cause => {
        failure = cause
        return false
      })
      if (isRemoved) usage.remove(copy.files)
    }
    await this.#reserved.store(usage.bytes, ledgers)
    if (usage.bytes > this.#bytes && failure !== undefined) throw failure
    return usage.bytes
  }

  /** The bytes of all files, also of those that are being copied, and the copies. */
  async #measure(): Promise<{ usage: Usage; copies: Evictable[] }> {
    const { root } = this.#folder
    const drafts = await this.#drafts()
    const usage = new Usage()
    const known = this.#sizes ?? (await this.#readSizes())
    const sizes = new Map<string, MeasuredCopy>()
    const copies: Evictable[] = []
    // Not what somebody else has put there, as `lost+found`: it is neither read nor removed.
    const homes = (await namesIn(root)).filter(isProjectId)
    await inParallel(
      homes,
      async projectId => {
        for (const snapshotId of await namesIn(join(root, projectId))) {
          const place = join(projectId, snapshotId)
          const found = await stat(join(root, place)).catch(ifMissing(null))
          if (!found) continue
          const folder = `${found.ino} ${found.birthtimeMs}`
          const measured = await measureCopy(join(root, place), folder, known.get(place))
          sizes.set(place, measured)
          const { files } = measured
          usage.add(files)
          if (isSnapshotId(snapshotId)) copies.push({ projectId, snapshotId, files, usedAt: found.mtimeMs })
        }
      },
      MEASURED_AT_ONCE,
    )
    // Drafts are measured a second time: a file that was moved from a draft, or to the removals, meanwhile is counted
    // at one place or both, never at none.
    drafts.push(...(await this.#drafts()))
    const largest = new Map<number, number>()
    for (const [inode, bytes] of drafts) largest.set(inode, Math.max(bytes, largest.get(inode) ?? 0))
    usage.add(drafts.filter(([inode]) => inode === 0))
    usage.add([...largest].filter(([inode]) => inode !== 0))
    this.#sizes = sizes
    await this.#writeSizes(sizes).catch(() => {}) // at worst, the next process measures file by file
    return { usage, copies }
  }

  /** The files of copies that are being made or removed. */
  async #drafts(): Promise<Sized[]> {
    const { folder } = this.#folder.drafts
    const found: Sized[] = []
    for (const name of await namesIn(folder)) found.push(...(await filesIn(join(folder, name))))
    return found
  }

  async #readSizes(): Promise<Map<string, MeasuredCopy>> {
    try {
      return new Map(JSON.parse(await readFile(this.#sizesFile, 'utf8')) as [string, MeasuredCopy][])
    } catch {
      return new Map()
    }
  }

  async #writeSizes(sizes: Map<string, MeasuredCopy>): Promise<void> {
    const draft = `${this.#sizesFile}.${process.pid}`
    await writeFile(draft, JSON.stringify([...sizes]))
    await rename(draft, this.#sizesFile)
  }
}

/** Measures a copy, file by file unless it has as many files as before. */
async function measureCopy(
  path: string,
  folder: string,
  known: MeasuredCopy | undefined,
): Promise<MeasuredCopy> {
  if (known?.folder !== folder) return { folder, files: await filesIn(path) }
  const names = await namesIn(path)
  return names.length === known.files.length ? known : { folder, files: await filesIn(path, names) }
}

async function filesIn(folder: string, given?: readonly string[]): Promise<Sized[]> {
  const names = given ?? (await namesIn(folder))
  const sized = async (name: string): Promise<Sized> => {
    const found = await stat(join(folder, name)).catch(ifMissing(null))
    const inode = found?.ino ?? 0
    return [Number.isSafeInteger(inode) ? inode : 0, found?.size ?? 0]
  }
  return Promise.all(names.map(sized))
}

/** The names in a folder; none when it is no folder. */
async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return []
    throw cause
  })
}
