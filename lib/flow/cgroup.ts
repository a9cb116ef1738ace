import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'

/** Where a system has what it tells of control groups. Tests have folders of their own. */
interface Places {
  proc: string
  groups: string
}

const SYSTEM: Places = { proc: '/proc', groups: '/sys/fs/cgroup' }

/** A version of control groups: the line of /proc/…/cgroup that names the group, and the files of a group. */
interface Version {
  line: RegExp
  mounts: readonly string[]
  /** The file that counts what the kernel has killed. */
  events: string
  /** The file with the most memory that the processes of the group may have. */
  limit: string
}

const VERSIONS: readonly Version[] = [
  {
    line: /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m,
    mounts: ['memory'],
    events: 'memory.oom_control',
    limit: 'memory.limit_in_bytes',
  },
  { line: /^0::(.*)$/m, mounts: ['', 'unified'], events: 'memory.events', limit: 'memory.max' },
]

/**
 * After a kill by the kernel, its process may take this long to end: it gives back its memory, and a launcher around it
 * ends too.
 */
const ENDS_WITHIN_MS = 5_000

/** The control group of a process, such as that of its container: its memory, and whether the kernel has killed for it. */
export class MemoryGroup {
  /** The most that processes of the group may have together, or the memory of the machine if that is less. */
  readonly limitBytes: number
  /** Its file that counts what the kernel has killed; it tells groups from each other. */
  readonly events: string
  #kills: number
  #killedAt = Number.NEGATIVE_INFINITY

  private constructor(events: string, limitBytes: number) {
    this.events = events
    this.limitBytes = Math.min(limitBytes, totalmem())
    this.#kills = killsIn(events)
  }

  /** The group of a process; null when the system tells of none, and when the process has ended. */
  static of(pid: number | 'self', places: Places = SYSTEM): MemoryGroup | null {
    const told = textOf(join(places.proc, String(pid), 'cgroup')) ?? ''
    for (const { line, mounts, events, limit } of VERSIONS) {
      const path = line.exec(told)?.[1]
      if (path === undefined) continue
      // A container may see its own group as the top one, though its path is that of the machine.
      for (const mount of mounts.map(each => join(places.groups, each)))
        for (const folder of [join(mount, path), mount]) {
          const file = join(folder, events)
          if (textOf(file) !== null) return new MemoryGroup(file, leastOf(limit, folder, mount))
        }
    }
    return null
  }

  /** Looks whether the kernel has killed a process of the group since the last look. */
  look(): void {
    const kills = killsIn(this.events)
    if (kills > this.#kills) this.#killedAt = performance.now()
    this.#kills = kills
  }

  /** Whether the kernel has killed a process of the group so lately that its end may only be heard now. */
  hasJustKilled(): boolean {
    this.look()
    return performance.now() - this.#killedAt < ENDS_WITHIN_MS
  }
}

/** How many processes of a group the out-of-memory killer has ended. */
function killsIn(events: string): number {
  return Number(/^oom_kill (\d+)/m.exec(textOf(events) ?? '')?.[1] ?? 0)
}

/** The least limit of a group and those that it is in. */
function leastOf(limit: string, folder: string, mount: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let at = folder; at.startsWith(mount); at = dirname(at))
    least = Math.min(least, Number(/^\d+/.exec(textOf(join(at, limit)) ?? '')?.[0] ?? Infinity))
  return least
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return null
  }
}
