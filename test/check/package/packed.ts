import { type ExecFileOptions, execFile } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs a program; returns its output, or throws an error that contains the output. */
export function run(program: string, args: readonly string[], options: ExecFileOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, [...args], { maxBuffer: 64 * 1024 ** 2, ...options }, (failure, stdout, stderr) => {
      if (failure) reject(new Error(`${program} ${args.join(' ')}: ${failure.message}\n${stdout}\n${stderr}`))
      else resolve(String(stdout))
    })
  })
}

/** An empty folder with the tarballs of both packages, installed as a user would: without development dependencies. */
export class Packed {
  readonly folder: string
  /** Bytes of each tarball, by package. */
  readonly bytes = new Map<string, number>()
  /** Paths of the tarballs, by package. */
  readonly tarballs = new Map<string, string>()

  private constructor(folder: string) {
    this.folder = folder
  }

  static async make(): Promise<Packed> {
    const packed = new Packed(await mkdtemp(join(tmpdir(), 'foldgate-packed-')))
    for (const [name, where] of [
      ['foldgate', []],
      ['foldgate-server', ['-w', 'foldgate-server']],
    ] as const) {
      const args = ['pack', '--json', '--ignore-scripts', ...where, '--pack-destination', packed.folder]
      const [{ filename }] = JSON.parse(await run('npm', args, { cwd: ROOT })) as [{ filename: string }]
      packed.tarballs.set(name, join(packed.folder, filename))
      packed.bytes.set(name, (await stat(join(packed.folder, filename))).size)
    }
    return packed
  }

  /** Installs packages together in a new subfolder; returns its path. */
  async install(name: string, ...packages: readonly string[]): Promise<string> {
    const into = await mkdtemp(join(this.folder, `${name}-`))
    await writeFile(join(into, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }))
    const wanted = packages.map(each => this.tarballs.get(each) ?? each)
    await run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error', ...wanted], { cwd: into })
    return into
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}
