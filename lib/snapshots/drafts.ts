import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing } from './missing.js'

/** A draft of another machine is given up when it is older: sealing takes minutes. */
const ABANDONED_MS = 3_600_000

/**
 * Folders in which snapshots are written before they are published, `<process>~<uuid>`: what a process of this machine
 * left when it was killed goes with the next look, what is of another machine by its age.
 */
export class Drafts {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async create(): Promise<string> {
    await this.sweep()
    const draft = join(this.#folder, `${OWN ?? ''}~${randomUUID()}`)
    await mkdir(draft, { recursive: true })
    return draft
  }

  /** Where something is moved to that is to be removed. */
  async grave(name: string): Promise<string> {
    await mkdir(this.#folder, { recursive: true })
    return join(this.#folder, `${name}-${randomUUID()}`)
  }

  /** Removes what nobody writes any more. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(ifMissing([] as string[]))) {
      const path = join(this.#folder, name)
      const found = await stat(path).catch(ifMissing(null))
      if (found && (hasEnded(name) || Date.now() - found.mtimeMs > ABANDONED_MS))
        await rm(path, { recursive: true, force: true })
    }
  }
}

/** Names this process among all of its machine: ids of processes come again, with another start. */
const OWN = nameOf(process.pid)

/** Of a process of this machine it is known whether it runs; of any other it is not. */
function hasEnded(draft: string): boolean {
  const [name = ''] = draft.split('~')
  const [machine, pid] = name.split('-')
  return OWN !== null && machine === OWN.split('-')[0] && nameOf(Number(pid)) !== name
}

function nameOf(pid: number): string | null {
  const machine = machineName()
  const started = startOf(pid)
  return machine && started ? `${machine}-${pid}-${started}` : null
}

/** This start of the machine, and which of its processes are seen from here: a container sees its own alone. */
function machineName(): string | null {
  try {
    const seen = [readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'), readlinkSync('/proc/self/ns/pid')]
    return createHash('sha256').update(seen.join()).digest('hex').slice(0, 16)
  } catch {
    return null // only Linux tells
  }
}

/** When a process started, in ticks of the machine; null when there is none. */
function startOf(pid: number): string | null {
  try {
    // The name before it stands in brackets and may hold anything.
    return (
      readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? null
    )
  } catch {
    return null
  }
}
