import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore, type Store } from '#server/database/store.js'
import { ask, output, outputJson, start } from '../../server/command.js'
import { type Served, serve } from '../../server/server.js'
import { storeInPostgres } from '../../server/stores.js'
import { appears } from '../faults/appears.js'

type Listed = Record<string, unknown>[]

/** What the commands list about one project. */
export interface ListedProject {
  project: unknown
  assessments: Listed
  snapshots: Listed
}

/** An installation of the server, with its own data folder and store. */
export class Installation {
  readonly #folder: string
  readonly #location: string
  readonly #flags: string[]

  private constructor(folder: string, location: string) {
    this.#folder = folder
    this.#location = location
    this.#flags = ['--data', folder, ...(location.startsWith('postgres') ? ['--store', location] : [])]
  }

  static async in(folder: string, isEmbedded: boolean): Promise<Installation> {
    return new Installation(folder, isEmbedded ? join(folder, 'control.db') : await storeInPostgres(folder))
  }

  get snapshots(): string {
    return join(this.#folder, 'snapshots')
  }

  /** Runs a command that has to succeed; returns its output. */
  run(...args: string[]): Promise<string> {
    return output(join(this.#folder, '..'), ...args, ...this.#flags)
  }

  list(...args: string[]): Promise<Listed> {
    return outputJson(join(this.#folder, '..'), ...args, ...this.#flags)
  }

  /** Runs a command that has to be refused; returns the message. */
  async refusal(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await ask(join(this.#folder, '..'), [...args, ...this.#flags])
    assert.deepEqual([status, stdout], [1, ''], stderr)
    assert.match(stderr, /^error: [^\n]+\n$/)
    return stderr
  }

  /** Starts a command, and kills it once a file or folder below the snapshots fits. */
  async kill(args: readonly string[], fits: (path: string) => boolean): Promise<void> {
    const child = start(join(this.#folder, '..'), [...args, ...this.#flags])
    const ended = once(child, 'close')
    await appears(this.snapshots, fits)
    child.kill('SIGKILL')
    assert.deepEqual(await ended, [null, 'SIGKILL'], 'the command was killed before it ended')
  }

  serve(...flags: string[]): Promise<Served> {
    return serve(join(this.#folder, '..'), ...this.#flags, ...flags)
  }

  openStore(): Promise<Store> {
    return openStore(this.#location)
  }

  async listed(id: string): Promise<ListedProject> {
    return {
      project: (await this.list('project', 'list')).find(project => project.id === id),
      assessments: await this.list('assessment', 'list', id),
      snapshots: await this.list('snapshot', 'list', id),
    }
  }

  /** Asserts that there is no project, no organization, no snapshot and no draft of one. */
  async assertEmpty(): Promise<void> {
    assert.deepEqual(await this.list('project', 'list'), [])
    assert.deepEqual(await this.list('organization', 'list'), [])
    assert.deepEqual(await readdir(this.snapshots, { recursive: true }), ['.store'])
  }
}
