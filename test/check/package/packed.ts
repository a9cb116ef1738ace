import { type ExecFileOptions, execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const INSTALL_MS = 180_000
/** Codes of npm for a registry that cannot be reached or does not have a package. */
const UNAVAILABLE = /^(E40[1347]|E42\d|E5\d\d|ETARGET|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)$/

/** Runs a program; returns its output, or throws an error that contains the output. */
export function run(program: string, args: readonly string[], options: ExecFileOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, [...args], { maxBuffer: 64 * 1024 ** 2, ...options }, (failure, stdout, stderr) => {
      if (failure) reject(new Error(`${program} ${args.join(' ')}: ${failure.message}\n${stdout}\n${stderr}`))
      else resolve(String(stdout))
    })
  })
}

/** What all suites of a run share: the tarballs of all packages, and a folder with the library installed. */
interface Shared {
  folder: string
  bytes: Map<string, number>
  tarballs: Map<string, string>
  library: string
}

let shared: Promise<Shared> | undefined
after(async () => {
  if (shared) await rm((await shared).folder, { recursive: true, force: true })
})

/** An empty folder, and the tarballs of all packages, installed as a user would: without development dependencies. */
export class Packed {
  readonly folder: string
  /** Bytes of each tarball, by package. */
  readonly bytes: ReadonlyMap<string, number>
  /** Paths of the tarballs, by package. */
  readonly tarballs: ReadonlyMap<string, string>
  readonly #library: string

  private constructor(folder: string, { bytes, tarballs, library }: Shared) {
    this.folder = folder
    this.bytes = bytes
    this.tarballs = tarballs
    this.#library = library
  }

  static async make(): Promise<Packed> {
    shared ??= share()
    return new Packed(await mkdtemp(join(tmpdir(), 'foldgate-packed-')), await shared)
  }

  /** Makes a new folder with the library; returns its path. */
  async host(name: string): Promise<string> {
    const into = await mkdtemp(join(this.folder, `${name}-`))
    await cp(this.#library, into, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    return into
  }

  /** Installs packages together in a new subfolder; returns its path. */
  install(name: string, ...packages: readonly string[]): Promise<string> {
    return installIn(this.folder, name, ...packages.map(each => this.tarballs.get(each) ?? each))
  }

  /**
   * Adds packages of the registry to a folder with a package, without running their scripts. If the registry
   * does not have them within three minutes, says in one line what is left out, and returns false.
   */
  async add(folder: string, purpose: string, ...packages: readonly string[]): Promise<boolean> {
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
    try {
      await run('npm', args, { cwd: folder, timeout: INSTALL_MS, killSignal: 'SIGKILL' })
      return true
    } catch (cause) {
      const [, code = 'no code'] = /npm error code (\S+)/.exec(String(cause)) ?? []
      if (code !== 'no code' && !UNAVAILABLE.test(code)) throw cause
      console.log(`Left out: ${purpose}, as the registry does not provide ${packages.join(' ')} (${code}).`)
      return false
    }
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}

async function share(): Promise<Shared> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-packed-'))
  const everything = ['--workspaces', '--include-workspace-root', '--ignore-scripts']
  const told = await run('npm', ['pack', '--json', ...everything, '--pack-destination', folder], { cwd: ROOT })
  const packed = (JSON.parse(told) as { name: string; filename: string }[]).map(
    ({ name, filename }) => [name, join(folder, filename)] as const,
  )
  const sizes = packed.map(async ([name, path]) => [name, (await stat(path)).size] as const)
  const tarballs = new Map(packed)
  const library = await installIn(folder, 'library', tarballs.get('foldgate') as string)
  return { folder, bytes: new Map(await Promise.all(sizes)), tarballs, library }
}

async function installIn(folder: string, name: string, ...packages: readonly string[]): Promise<string> {
  const into = await mkdtemp(join(folder, `${name}-`))
  await writeFile(join(into, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }))
  await run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { cwd: into })
  return into
}

/** Writes the tables of the examples: a car in Lima with two trips, and one in Nairobi with one. */
export async function writeTables(folder: string): Promise<void> {
  await mkdir(folder)
  await writeFile(join(folder, 'cars.csv'), 'car_id,city\n1,Lima\n2,Nairobi\n')
  await writeFile(join(folder, 'trips.csv'), 'trip_id,car_id,km\n1,1,12\n2,1,4\n3,2,31\n')
}
