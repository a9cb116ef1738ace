import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const GROUPS = '/sys/fs/cgroup'
const REMOVED_AFTER_MS = 100

/** A control group with little memory, as a container has one. */
export class SmallContainer {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** Makes one; null if this user may not, or the system cannot limit memory. */
  static make(limitBytes: number): SmallContainer | null {
    const isFirst = existsSync(join(GROUPS, 'memory'))
    const folder = join(GROUPS, isFirst ? 'memory' : '', `foldgate-test-${process.pid}`)
    try {
      mkdirSync(folder)
      writeFileSync(join(folder, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(limitBytes))
      const swap = join(folder, isFirst ? 'memory.memsw.limit_in_bytes' : 'memory.swap.max')
      if (existsSync(swap)) writeFileSync(swap, isFirst ? String(limitBytes) : '0')
      return new SmallContainer(folder)
    } catch {
      if (existsSync(folder)) rmdirSync(folder)
      return null
    }
  }

  /** Runs a program in it, and returns what that prints. */
  run(program: string, ...args: string[]): string {
    const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
    return execFileSync('sh', ['-c', enter, this.#folder, program, ...args], { encoding: 'utf8' })
  }

  /** Ends what still runs in it, and removes it. */
  async remove(): Promise<void> {
    const left = () => readFileSync(join(this.#folder, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean)
    for (const pid of left()) process.kill(Number(pid), 'SIGKILL')
    while (left().length > 0) await setTimeout(REMOVED_AFTER_MS)
    rmdirSync(this.#folder)
  }
}
