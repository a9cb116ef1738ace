import { readdirSync, readFileSync } from 'node:fs'

const EVERY_MS = 25

/** Watches how much memory a process and its children hold; figures are MiB. */
export class MemoryWatch {
  /** The most that the process itself held, and the most that any child did. */
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

/** What a process holds now, MiB; 0 for one that has ended. */
export function residentMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024 // one that has ended has none
  } catch {
    return 0
  }
}

/** Processes that this one started; each is asked for its parent once as long as `parents` is kept. */
export function childrenOf(pid: number, parents = new Map<number, number>()): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  for (const each of pids) if (!parents.has(each)) parents.set(each, parentOf(each))
  return pids.filter(each => parents.get(each) === pid)
}

function parentOf(pid: number): number {
  try {
    // The name before it stands in brackets and may hold anything.
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) . /s, '')
        .split(' ')[0],
    )
  } catch {
    return 0
  }
}
