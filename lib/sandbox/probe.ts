import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Wall } from './walls.js'

/** What a process tries to reach. */
export interface Tried {
  /** A file outside what it is shown. */
  outside: string
  /** The process id of its host. */
  host: number
}

/** Settings of the kernel, which root could change: it owns them, and needs no capability for it. */
const OF_THE_KERNEL = [
  ...['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sys/vm/overcommit_memory'],
  ...['/proc/irq/default_smp_affinity', '/proc/sysrq-trigger', '/sys/kernel/mm/transparent_hugepage/enabled'],
]

/** Whether an action throws. */
function fails(action: () => unknown): boolean {
  try {
    action()
    return false
  } catch {
    return true
  }
}

function cannotListen(): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.on('error', () => resolve(true))
    server.listen(0, '127.0.0.1', () => server.close(() => resolve(false)))
  })
}

// Run as a process of its own, behind the walls that it tries.
const { outside, host } = JSON.parse(process.argv[2] as string) as Tried
const held: Record<Wall, boolean> = {
  files:
    fails(() => readFileSync(outside)) &&
    [outside, ...OF_THE_KERNEL].every(path => fails(() => closeSync(openSync(path, constants.O_WRONLY)))) &&
    fails(() => closeSync(openSync(`${outside}-2`, 'w'))),
  network: await cannotListen(),
  programs: spawnSync(process.execPath, ['-e', '']).error !== undefined,
  processes: fails(() => process.kill(host, 0)) && fails(() => readFileSync(`/proc/${host}/environ`)),
  // Changing modes is no part of what such a process does.
  calls: fails(() => chmodSync('.', 0o700)) && existsSync('.'),
}
process.stdout.write(JSON.stringify(held))
