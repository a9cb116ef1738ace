import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const STEP_MS = 400_000
const execute = promisify(execFile)

/** A program in another language or with packages of its own, in the folder `source`. */
export interface Program {
  source: string
  /** Commands that fetch what the sources import. If one fails, the program is left out. */
  fetch: readonly string[][]
  /** Commands that compile the sources, which must succeed. */
  compile?: readonly string[][]
  /** The command that starts the program. */
  start: readonly [string, ...string[]]
}

/** A program that is built, in its folder. */
export interface Built {
  folder: string
  start: Program['start']
}

/** Builds a program, unless an earlier run built the same sources; null where its packages cannot be had. */
export async function build({ source, fetch, compile = [], start }: Program): Promise<Built | null> {
  const folder = await folderOf(source, JSON.stringify([fetch, compile, process.version]))
  const done = join(folder, '.built')
  const run = ([program, ...args]: readonly string[]) =>
    execute(program as string, args, { cwd: folder, timeout: STEP_MS, maxBuffer: 1 << 26 })
  if (await stat(done).catch(() => null)) return { folder, start }
  await rm(folder, { recursive: true, force: true })
  await cp(source, folder, { recursive: true })
  try {
    for (const command of fetch) await run(command)
  } catch {
    return null
  }
  for (const command of compile) await run(command)
  await writeFile(done, '')
  return { folder, start }
}

/** A folder that outlives the run, of this user alone and of these sources. */
async function folderOf(source: string, commands: string): Promise<string> {
  const kept = join(tmpdir(), `foldgate-programs-${userInfo().username}`)
  await mkdir(kept, { mode: 0o700, recursive: true })
  const { uid } = await stat(kept)
  if (process.getuid && uid !== process.getuid()) throw new Error(`${kept} belongs to another user`)
  const hash = createHash('sha256').update(commands)
  for (const path of (await readdir(source, { recursive: true })).sort())
    if ((await stat(join(source, path))).isFile()) hash.update(path).update(await readFile(join(source, path)))
  return join(kept, hash.digest('hex').slice(0, 24))
}
