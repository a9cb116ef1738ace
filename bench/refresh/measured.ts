import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { childrenOf, residentMiB } from '../bombs/watch.js'
import { timesOf } from '../rows/cpu.js'
import type { Job, Spent } from './host.js'

const HOST = fileURLToPath(new URL('./host.ts', import.meta.url))
const EVERY_MS = 50

/** What a job has cost, with the processes that seal. */
export interface Measured extends Spent {
  cpuMs: number
  /** The most memory of all processes together. */
  memoryMib: number
  /** The sum of what they have resident, in which pages that they share, such as those of Node, count several times. */
  residentMib: number
  /** The most memory of the host's process alone. */
  hostMib: number
}

/** Runs a job in a host of its own. */
export async function measured(job: Job): Promise<Measured> {
  const host = fork(HOST, [], { execArgv: ['--import', 'tsx'] })
  const failed = once(host, 'exit').then(([code]) => {
    throw new Error(`the host ended with ${code}`)
  })
  failed.catch(() => {})
  await once(host, 'message') // it has loaded what it needs
  const watch = new Watch(host.pid ?? 0)
  try {
    host.send(job)
    const [spent] = (await Promise.race([once(host, 'message'), failed])) as [Spent]
    const { cpuMs, memoryMib, residentMib, hostMib } = watch
    return { ...spent, cpuMs, memoryMib, residentMib, hostMib }
  } finally {
    watch.stop()
    if (host.exitCode === null) host.kill()
  }
}

/** Looks at a process and its children, which are killed when they have sealed: nobody is told their processor time. */
class Watch {
  memoryMib = 0
  residentMib = 0
  hostMib = 0
  readonly #pid: number
  readonly #parents = new Map<number, number>()
  /** Processor time of each process, as it was last seen. */
  readonly #spent = new Map<number, number>()
  readonly #before: number
  readonly #timer: NodeJS.Timeout

  constructor(pid: number) {
    this.#pid = pid
    this.#look()
    this.#before = this.#sum()
    this.#timer = setInterval(() => this.#look(), EVERY_MS)
  }

  get cpuMs(): number {
    this.#look()
    return this.#sum() - this.#before
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    let [together, resident] = [0, 0]
    for (const pid of [this.#pid, ...childrenOf(this.#pid, this.#parents)]) {
      const memory = residentMiB(pid)
      resident += memory
      together += proportionalMiB(pid)
      if (pid === this.#pid) this.hostMib = Math.max(this.hostMib, memory)
      const [own] = timesOf(pid)
      if (own !== undefined) this.#spent.set(pid, own)
    }
    this.memoryMib = Math.max(this.memoryMib, together)
    this.residentMib = Math.max(this.residentMib, resident)
  }

  #sum(): number {
    return [...this.#spent.values()].reduce((sum, each) => sum + each, 0)
  }
}

/** Memory of a process in which it has its part of each page that it shares, in MiB; 0 if it has ended. */
function proportionalMiB(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
