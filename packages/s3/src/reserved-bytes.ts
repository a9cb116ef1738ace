import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasEnded, ifMissing, OWN_NAME, sync } from 'foldgate/internal'

/** A ledger of an unknown process that has not changed for a day is abandoned. */
const ABANDONED_MS = 86_400_000
/** Ledgers of ended processes are removed when all is measured, at the latest when there are so many. */
const MOST_LEDGERS = 64
const LEDGER = '.ledger'
const MEASURED = 'measured.json'

/** What the ledgers had when measuring began, by name. */
export type Ledgers = ReadonlyMap<string, number>

/** The bytes of all files when they were measured, and what the ledgers had before. */
interface MeasuredTotal {
  bytes: number
  ledgers: Record<string, number>
}

/**
 * An upper bound of the bytes in a folder that several processes share, without a look at its files: the bytes of the
 * last measurement, and the bytes that the processes have reserved since. Each process adds to a ledger of its own, so
 * none waits for another, and one that is killed leaves at worst too large a number, which the next measuring corrects.
 *
 * It holds when each process gives its files their size first, then adds to its ledger, then asks for the
 * total; and when whoever measures reads the ledgers first. Of two processes at once, one sees what the other
 * has reserved.
 */
export class ReservedBytes {
  readonly #folder: string
  readonly #name = `${OWN_NAME ?? ''}~${randomUUID()}${LEDGER}`
  #own = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Adds to the ledger of this process. Calls must not overlap. Nothing is given back for files that are removed:
   * whoever measures at that moment would have seen the ledger, and not the files.
   */
  async add(bytes: number): Promise<void> {
    this.#own += bytes
    await this.#write(this.#name, String(this.#own))
  }

  /** The most bytes that there are; null when that takes measuring. */
  async total(): Promise<number | null> {
    const ledgers = await this.ledgers()
    // Only then: a ledger is removed once a number that includes it is there.
    const measured = await this.#measured()
    if (measured === null || ledgers.size > MOST_LEDGERS) return null
    if (Object.keys(measured.ledgers).some(name => !ledgers.has(name))) return null
    let total = measured.bytes
    for (const [name, bytes] of ledgers) total += bytes - (measured.ledgers[name] ?? 0)
    return Number.isSafeInteger(total) ? total : null
  }

  /** What all processes have reserved; to be read before the files are measured. */
  async ledgers(): Promise<Ledgers> {
    const names = await readdir(this.#folder).catch(ifMissing([] as string[]))
    const found = new Map<string, number>()
    for (const name of names.filter(each => each.endsWith(LEDGER))) {
      const text = await readFile(join(this.#folder, name), 'latin1').catch(ifMissing(null))
      if (text !== null) found.set(name, /^\d+$/.test(text) ? Number(text) : Number.NaN)
    }
    return found
  }

  /**
   * Stores the bytes that were measured after these ledgers had been read, and removes the ledgers of ended processes.
   */
  async store(bytes: number, ledgers: Ledgers): Promise<void> {
    const ended: string[] = []
    for (const name of ledgers.keys()) if (await this.#isAbandoned(name)) ended.push(name)
    const kept = [...ledgers].filter(([name]) => !ended.includes(name))
    await this.#write(MEASURED, JSON.stringify({ bytes, ledgers: Object.fromEntries(kept) }))
    for (const name of ended) await rm(join(this.#folder, name), { force: true })
  }

  async #measured(): Promise<MeasuredTotal | null> {
    const text = await readFile(join(this.#folder, MEASURED), 'utf8').catch(ifMissing(null))
    try {
      const read = JSON.parse(text ?? 'null') as Partial<MeasuredTotal> | null
      return typeof read?.ledgers === 'object' && read.ledgers !== null ? (read as MeasuredTotal) : null
    } catch {
      return null
    }
  }

  async #isAbandoned(name: string): Promise<boolean> {
    if (name === this.#name) return false
    if (hasEnded(name.split('~')[0] ?? '')) return true
    const found = await stat(join(this.#folder, name)).catch(ifMissing(null))
    return found !== null && Date.now() - found.mtimeMs > ABANDONED_MS
  }

  /** Writes a file at once, also for whoever reads it after a power cut, when the copies are there. */
  async #write(name: string, text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    const draft = join(this.#folder, `${this.#name}.draft`)
    await writeFile(draft, text)
    await sync(draft)
    await rename(draft, join(this.#folder, name))
    await sync(this.#folder)
  }
}
