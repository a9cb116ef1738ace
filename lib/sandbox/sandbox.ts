import { execFile } from 'node:child_process'
import { mkdtemp, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { environment } from './at-rest.js'
import { type Launcher, launchers } from './launchers.js'
import type { Tried } from './probe.js'
import { removeTree } from './remove-tree.js'
import { childScript } from './script.js'
import { type SandboxState, WALLS, type Wall } from './walls.js'
import { type Room, World } from './world.js'

/**
 * Whether processes run behind walls of the operating system: `auto` where it has them, `required` or not at
 * all, `off` never.
 */
export type SandboxMode = 'auto' | 'required' | 'off'

/** The walls that processes run behind, and what puts them up. */
export interface Sandbox extends Omit<SandboxState, 'launcher'> {
  launcher: Launcher | null
}

/** The state of a sandbox as health checks and logs report it. */
export function stateOf({ launcher, walls, missing }: Sandbox): SandboxState {
  return { launcher: launcher?.name ?? null, walls, missing }
}

/** No walls. */
export const NO_SANDBOX: Sandbox = { launcher: null, walls: [], missing: 'it is off' }

/** Thrown when the walls are required and this machine lacks some. */
export class SandboxMissing extends Error {
  constructor({ walls, missing }: Sandbox) {
    const lacks = WALLS.filter(wall => !walls.includes(wall)).join(', ')
    super(`The sandbox is required, but these of its walls are missing here: ${lacks}. Why: ${missing}`)
  }
}

const REMEDY =
  'Install bubblewrap and allow user namespaces, or install util-linux 2.41 or later, whose setpriv needs a kernel ' +
  'with Landlock.'
const TRIED_WITHIN_MS = 20_000
let found: Promise<Sandbox> | null = null

/**
 * The best walls of this machine, which a process tries once from inside. Rejects with a {@link SandboxMissing}
 * when all are required and one does not hold.
 */
export async function openSandbox(mode: SandboxMode = 'auto'): Promise<Sandbox> {
  if (mode === 'off') return NO_SANDBOX
  found ??= findSandbox(launchers())
  const sandbox = await found
  if (mode === 'required' && sandbox.walls.length < WALLS.length) throw new SandboxMissing(sandbox)
  return sandbox
}

/** Tries launchers in order, and takes the first one behind which every wall holds, else the one with most. */
export async function findSandbox(candidates: readonly Launcher[]): Promise<Sandbox> {
  if (process.platform !== 'linux')
    return { ...NO_SANDBOX, missing: `There is no sandbox for ${process.platform}: use Linux.` }
  const reasons: string[] = []
  let best: Sandbox = NO_SANDBOX
  for (const launcher of candidates) {
    const { walls, failure } = await tryLauncher(launcher)
    if (walls.length === WALLS.length) return { launcher, walls, missing: null }
    const lacks = WALLS.filter(wall => !walls.includes(wall)).join(', ')
    const does = failure === null ? `does not put up: ${lacks}` : `does not start: ${failure}`
    reasons.push(`${launcher.name} ${does}`)
    if (walls.length > best.walls.length) best = { launcher, walls, missing: null }
  }
  const named = candidates.map(({ name }) => name)
  if (!named.includes('bubblewrap')) reasons.push('bubblewrap is not installed')
  if (!named.includes('setpriv')) reasons.push('setpriv is not installed')
  return { ...best, missing: `${reasons.join('; ')}. ${REMEDY}` }
}

async function tryLauncher(launcher: Launcher): Promise<{ walls: Wall[]; failure: string | null }> {
  let folder = ''
  try {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-walls-')))
    const outside = join(folder, 'outside')
    await writeFile(outside, '')
    const script = childScript('./probe.js', import.meta.url)
    const room = await new World(folder).furnish({ url: script, packages: [] }, true)
    const tried: Tried = { outside, host: process.pid }
    const command = [process.execPath, fileURLToPath(script), JSON.stringify(tried)]
    const options = { env: environment(room.own), cwd: room.own, timeout: TRIED_WITHIN_MS }
    const { stdout } = await promisify(execFile)(
      '/bin/sh',
      shellArguments({ sandbox: { launcher }, room }, command),
      options,
    )
    const held = JSON.parse(stdout) as Record<Wall, boolean>
    return { walls: WALLS.filter(wall => held[wall]), failure: null }
  } catch (cause) {
    const { stderr = '', code, message } = cause as { stderr?: string; code?: unknown; message: string }
    const ended = typeof code === 'number' ? `it ended with status ${code}` : message
    const [said = ''] = (stderr.trim() || ended).split('\n')
    return { walls: [], failure: (folder === '' ? said : said.replaceAll(folder, '…')).slice(0, 200) }
  } finally {
    if (folder !== '') await removeTree(folder)
  }
}

/** Arguments for `/bin/sh` that start a command, behind walls if there are any. `limits` is run before it. */
export function shellArguments(
  behind: { sandbox: Pick<Sandbox, 'launcher'>; room: Room } | undefined,
  command: readonly string[],
  limits = 'ulimit -c 0',
): string[] {
  const { words, fd9 } = behind?.sandbox.launcher?.before(behind.room) ?? { words: [], fd9: null }
  const shell = `${limits} && ${fd9 === null ? '' : 'exec 9<"$0" && '}exec "$@"`
  return ['-c', shell, fd9 ?? 'sh', ...words, ...command]
}
