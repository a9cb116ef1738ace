import { readdirSync, readFileSync } from 'node:fs'

const EVERY_MS = 25

/** Watches the resident memory of a process and its children, in MiB. */
export class MemoryWatch {
  /** Peak of the process itself, and the highest peak of any child. */
  own = 0
  child = 0
  readonly #pid: number
  readonly #parents = new Map<number, number>()
  readonly #timer: NodeJS.Timeout

  constructor(pid: number) {
    this.#pid = pid
    this.#timer = setInterval(() => this.#look(), EVERY_MS)
    this.#look()
  }

  reset(): void {
    this.own = 0
    this.child = 0
    this.#look()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    this.own = Math.max(this.own, residentMiB(this.#pid))
    for (const pid of childrenOf(this.#pid, this.#parents)) this.child = Math.max(this.child, residentMiB(pid))
  }
}

/** Resident memory of a process in MiB; 0 if it has ended. */
export function residentMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024 // a zombie has no VmRSS
  } catch {
    return 0
  }
}

/**
 * Lists the children of a process; those of bubblewrap in its place. A `parents` map that is passed again saves
 * looking up each parent twice.
 */
export function childrenOf(pid: number, parents = new Map<number, number>()): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  for (const each of pids) if (!parents.has(each)) parents.set(each, parentOf(each))
  const below = (parent: number): number[] => pids.filter(each => parents.get(each) === parent).flatMap(seen)
  const seen = (each: number) => (nameOf(each) === 'bwrap' ? below(each) : [each])
  return below(pid)
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

function parentOf(pid: number): number {
  try {
    // The name before it is in brackets and may contain any characters.
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) . /s, '')
        .split(' ')[0],
    )
  } catch {
    return 0
  }
}
