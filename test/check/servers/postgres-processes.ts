import { readdir, readFile } from 'node:fs/promises'
import { ask } from '../../server/stores.js'

/** All processes of the PostgreSQL of the tests. */
export class PostgresProcesses {
  /** The one that starts the others. */
  readonly #first: number
  readonly #frozen: number[] = []
  readonly #onExit = () => this.thaw()

  private constructor(first: number) {
    this.#first = first
  }

  /** Finds them; null if they are not on this machine, or this user may not signal them. */
  static async find(): Promise<PostgresProcesses | null> {
    const [row] = await ask(`SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`)
    const child = (await processes()).find(({ pid, name }) => pid === row?.pid && name === 'postgres')
    if (!child) return null
    try {
      process.kill(child.parent, 0)
      return new PostgresProcesses(child.parent)
    } catch {
      return null
    }
  }

  /** Stops them all, as a machine that hangs does: connections stay, and none is answered. */
  async freeze(): Promise<void> {
    process.once('exit', this.#onExit)
    this.#stop(this.#first)
    for (const { pid, parent } of await processes()) if (parent === this.#first) this.#stop(pid)
  }

  /** Lets them run again. */
  thaw(): void {
    process.off('exit', this.#onExit)
    for (const pid of this.#frozen.splice(0)) process.kill(pid, 'SIGCONT')
  }

  #stop(pid: number): void {
    process.kill(pid, 'SIGSTOP')
    this.#frozen.push(pid)
  }
}

/** The processes of this machine. */
async function processes(): Promise<{ pid: number; name: string; parent: number }[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name))
  const found = pids.map(async pid => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(stat) ?? []
    return { pid: Number(pid), name: name ?? '', parent: Number(parent) }
  })
  return Promise.all(found)
}
