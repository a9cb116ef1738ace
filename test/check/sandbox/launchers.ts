import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Launcher, launchers } from '#lib/sandbox/launchers.js'
import { findSandbox } from '#lib/sandbox/sandbox.js'
import { WALLS } from '#lib/sandbox/walls.js'

/** Walls of one kind: namespaces, Landlock rules, and the seccomp program. */
export type Kind = 'N' | 'L' | 'S'

/** The launchers behind which every wall holds here. */
export interface Available {
  bubblewrap: Launcher | null
  setpriv: Launcher | null
}

/** A newer setpriv than the system's is named by a variable. */
export async function available(): Promise<Available> {
  const newer = process.env.FOLDGATE_TEST_SETPRIV
  const found = [...launchers(), ...(newer ? launchersIn(dirname(newer)) : [])]
  const working: Available = { bubblewrap: null, setpriv: null }
  for (const launcher of found)
    if (working[launcher.name] === null && (await findSandbox([launcher])).walls.length === WALLS.length)
      working[launcher.name] = launcher
  return working
}

function launchersIn(folder: string): Launcher[] {
  const { PATH } = process.env
  process.env.PATH = folder
  try {
    return launchers()
  } finally {
    process.env.PATH = PATH
  }
}

/** A launcher's other walls, without the seccomp program. */
export function withoutProgram({ name, before }: Launcher): Launcher {
  return { name, before: room => before({ ...room, program: null }) }
}

/** The seccomp program, and no other wall; null where bubblewrap alone is there, and needs a user namespace. */
export function programAlone({ bubblewrap, setpriv }: Available): Launcher | null {
  const launcher = setpriv ?? (process.getuid?.() === 0 ? bubblewrap : null)
  if (!launcher) return null
  return {
    name: launcher.name,
    before(room) {
      const [path = ''] = launcher.before(room).words
      if (launcher === setpriv)
        return { words: [path, '--no-new-privs', '--seccomp-filter', room.program as string, '--'], fd9: null }
      const words = [path, '--cap-add', 'ALL', '--dev-bind', '/', '/', '--seccomp', '9', '--']
      return { words, fd9: room.program }
    },
  }
}

/** Whether this process may do what the administrator of a machine may, and is in no sandbox itself. */
export function isPrivileged(): boolean {
  const status = readFileSync('/proc/self/status', 'utf8')
  const capabilities = BigInt(`0x${/^CapEff:\s+(\w+)/m.exec(status)?.[1]}`)
  const SYS_ADMIN = 21n
  return (capabilities >> SYS_ADMIN) % 2n === 1n && /^Seccomp:\s+0/m.test(status)
}
