import { type BigIntStats, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { RecentMap } from '../flow/recent.js'
import { SingleFlight } from '../flow/single-flight.js'

/**
 * File systems of Linux whose kernel makes every change itself, by their `f_type`: ext2 to ext4, XFS, Btrfs, F2FS,
 * ZFS, tmpfs and overlayfs. Others, such as NFS, may answer `stat` from a cache.
 */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630,
])
/**
 * A folder that has changed more recently is listed again: time stamps are as coarse as a second, so that the next
 * change might leave them as they are.
 */
const SETTLED_MS = 2_000
/** Folders whose ids are kept. */
const MOST_KEPT = 10_000

/** A listing, and the state of the folder before it was made. */
interface KeptListing {
  state: string
  ids: readonly string[]
}

/**
 * Lists folders as they are at the time of the call. A listing is kept while the folder is the same, which one
 * system call tells: the kernel changes the time stamp of a folder with each entry that any process adds or removes.
 * The folder is looked at without leaving the thread, so only folders on this machine's own disks are kept.
 */
export class Listings {
  readonly #read: (folder: string) => Promise<readonly string[]>
  readonly #now: () => number
  readonly #reading = new SingleFlight<readonly string[]>()
  readonly #isLocal = new RecentMap<string, boolean>(MOST_KEPT)
  readonly #kept = new RecentMap<string, KeptListing>(MOST_KEPT)

  constructor(read: (folder: string) => Promise<readonly string[]>, now = Date.now) {
    this.#read = read
    this.#now = now
  }

  /** The entries of a folder now: never those of a listing that began before the call, unless nothing has changed. */
  async list(folder: string): Promise<readonly string[]> {
    const kept = this.#kept.get(folder)
    if (kept && stateOf(statOf(folder)) === kept.state) return kept.ids
    return this.#reading.joinNext(folder, {}, () => this.#readNow(folder))
  }

  async #readNow(folder: string): Promise<readonly string[]> {
    // Before it is read, so that what changes meanwhile changes the state.
    const found = (await this.#isKeepable(folder)) ? statOf(folder) : undefined
    const isSettled = found !== undefined && Number(found.ctimeMs) < this.#now() - SETTLED_MS
    const ids = await this.#read(folder)
    if (isSettled) this.#kept.set(folder, { state: stateOf(found), ids })
    return ids
  }

  async #isKeepable(folder: string): Promise<boolean> {
    const known = this.#isLocal.get(folder)
    if (known !== undefined) return known
    const found = await statfs(folder).catch(() => null)
    if (found) this.#isLocal.set(folder, LOCAL_TYPES.has(found.type))
    return found !== null && LOCAL_TYPES.has(found.type)
  }
}

function statOf(folder: string): BigIntStats | undefined {
  try {
    return statSync(folder, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // reading the folder throws the reason
  }
}

/** Changes whenever an entry is added or removed. The owner may set `mtime` back, but not `ctime`. */
function stateOf(found: BigIntStats | undefined): string {
  return found ? [found.dev, found.ino, found.ctimeNs, found.nlink, found.size].join(' ') : ''
}
