import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** What a process tells instead of the truth. */
export interface Lie {
  /** Kind of the frame that is changed, and the kind as which it comes. Default: the same. */
  kind: number
  as?: number
  /** What the job must have in it, as JSON. */
  job: readonly string[]
  /** Where in its JSON what is changed lies, and what is there instead; absent: what is there is removed. */
  path: readonly (string | number)[]
  value?: unknown
  /** Bytes that come instead, hex, or how many. Default: those that the process has. */
  body?: string | number
  /** What each file in its folder becomes: a link to a path, or a folder. */
  files?: { link?: string; folder?: true }
}

/** Put in the place of the end of the channel: what it sends is true unless there is a lie about it. */
const CHANNEL = `
import { linkSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { Channel as Ours, cloneIn } from './channel.js'
export * from './channel.js'
const plain = (_, value) => (typeof value === 'bigint' ? String(value) : value)
let job = ''
function changed(head, [at, ...rest], lie) {
  if (at === undefined) return lie.value
  const copy = Array.isArray(head) ? [...head] : { ...head }
  if (rest.length > 0) copy[at] = changed(copy[at], rest, lie)
  else if ('value' in lie) copy[at] = lie.value
  else delete copy[at]
  return copy
}
function replace(folder, { link, folder: isFolder }) {
  for (const name of readdirSync(folder)) {
    const path = folder + '/' + name
    if (statSync(path).isDirectory()) replace(path, { link, folder: isFolder })
    else {
      rmSync(path)
      if (link) symlinkSync(link, path)
      else if (isFolder) mkdirSync(path)
    }
  }
}
export const Channel = {
  toHost(hear, closed) {
    const channel = Ours.toHost(frame => {
      if (frame.kind === 1) job = JSON.stringify(cloneIn(frame), plain)
      hear(frame)
    }, closed)
    return {
      send(kind, head, body) {
        const lie = JSON.parse(readFileSync(new URL('./lie.json', import.meta.url), 'utf8'))
        if (lie?.kind !== kind || !lie.job.every(part => job.includes(part))) return channel.send(kind, head, body)
        if (lie.files) replace(process.cwd(), lie.files)
        const bytes = typeof lie.body === 'number' ? Buffer.alloc(lie.body, ' ') : lie.body === undefined ? body : Buffer.from(lie.body, 'hex')
        channel.send(lie.as ?? kind, changed(head, lie.path, lie), bytes)
      },
    }
  },
}
`

/** The library as a host has it, whose processes lie when they are told to. */
export class Liar {
  readonly folder: string
  readonly #lie: string

  private constructor(folder: string) {
    this.folder = folder
    this.#lie = join(folder, 'dist/flow/lie.json')
  }

  static async open(): Promise<Liar> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-liar-')))
    await cp(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
    await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const child = join(folder, 'dist/flow/child.js')
    const source = await readFile(child, 'utf8')
    await writeFile(child, source.replace("'./channel.js'", "'./lying-channel.js'"))
    await writeFile(join(folder, 'dist/flow/lying-channel.js'), CHANNEL)
    const liar = new Liar(folder)
    await liar.tell(null)
    return liar
  }

  /** Imports a module of this library, such as `index.js`. */
  import<Module>(name: string): Promise<Module> {
    return import(pathToFileURL(join(this.folder, 'dist', name)).href) as Promise<Module>
  }

  /** Has the processes tell a lie from now on, or none. */
  tell(lie: Lie | null): Promise<void> {
    return writeFile(this.#lie, JSON.stringify(lie))
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}

/** What is below a folder: the digest of each file, and where each link leads; `skips` are names of folders. */
export async function contentOf(folder: string, skips: readonly string[] = []): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const look = async (at: string): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) {
        if (!skips.includes(entry.name)) await look(path)
      } else if (entry.isSymbolicLink()) found[relative(folder, path)] = await readlink(path)
      else
        found[relative(folder, path)] = createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
    }
  }
  await look(folder)
  return found
}

/** Values that a field of no message has, or that lead astray where one has them. */
export const WRONG: readonly unknown[] = [
  ...[null, true, false, -1, 0.5, 1e300, 2 ** 53, '', 'x', [], {}, [[]], { toString: 1 }],
  ...['../../../../store.db', '/etc/passwd', 'x'.repeat(5_000)],
]

/** Places in a value, outermost first. */
export function* placesIn(
  value: unknown,
  at: readonly (string | number)[] = [],
): Generator<readonly (string | number)[]> {
  yield at
  if (Array.isArray(value))
    for (const [index, each] of value.slice(0, 1).entries()) yield* placesIn(each, [...at, index])
  else if (value && typeof value === 'object')
    for (const [name, each] of Object.entries(value)) yield* placesIn(each, [...at, name])
}
