import { closeSync, openSync, readSync } from 'node:fs'

/** Milliseconds of a tick, in which Linux tells times to programs on all its machines. */
const TICK_MS = 10
/** After the name of the program, which may contain anything, come the state and ten more fields before the times. */
const FIELDS_BEFORE = 11
const STAT_BYTES = 1024

/** The processor time of a process as the kernel tells it, which the process itself cannot make smaller. */
export class ProcessorTime {
  #file: number | null = null
  readonly #bytes = Buffer.allocUnsafe(STAT_BYTES)

  /** The file stays open: reading it takes a quarter of the time then, and it never tells of another process. */
  constructor(pid: number) {
    try {
      this.#file = openSync(`/proc/${pid}/stat`, 'r')
    } catch {
      // Only Linux has it.
    }
  }

  /** Processor time of all its threads so far, in milliseconds; null when the process has ended, and elsewhere than on Linux. */
  ms(): number | null {
    if (this.#file === null) return null
    try {
      const length = readSync(this.#file, this.#bytes, 0, STAT_BYTES, 0)
      const stat = this.#bytes.toString('latin1', 0, length)
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', FIELDS_BEFORE + 2)
      return (Number(fields[FIELDS_BEFORE]) + Number(fields[FIELDS_BEFORE + 1])) * TICK_MS
    } catch {
      return null
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}
