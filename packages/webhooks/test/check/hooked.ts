import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { output, outputJson } from '../../../../test/server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../../../test/server/package.js'
import { type Served, serveWith } from '../../../../test/server/server.js'

const run = promisify(execFile)
/** Lets webhooks reach the receivers of the tests. */
export const ALLOW = '127.0.0.1'

/** A certificate for the loopback interface that signs itself. Rejects where OpenSSL is missing. */
export async function certify(folder: string): Promise<{ cert: string; key: string; file: string }> {
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  const named = ['-subj', '/CN=receiver', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  await run('openssl', [...made, ...named, '-keyout', key, '-out', file])
  return { cert: await readFile(file, 'utf8'), key: await readFile(key, 'utf8'), file }
}

/** An installation with the projects `early` of `south` and `late` of `north`, whose servers trust a certificate. */
export class Hooked {
  readonly #folder: string
  readonly #flags: string[]
  readonly #authority: string

  constructor(folder: string, authority: string) {
    this.#folder = folder
    this.#authority = authority
    this.#flags = ['--data', join(folder, 'data')]
  }

  /** Adds Ada, who reads `south`, and Bob, who reads `north`. */
  async fill(): Promise<void> {
    await writePackage(join(this.#folder, 'package'))
    await writeTables(join(this.#folder, 'tables'))
    await this.run('import', join(this.#folder, 'package'))
    await this.run('user', 'add', 'ada@example.org', '--organization', 'south')
    await this.run('user', 'add', 'bob@example.org', '--organization', 'north')
  }

  get tables(): string {
    return join(this.#folder, 'tables')
  }

  get snapshots(): string {
    return join(this.#folder, 'data', 'snapshots')
  }

  /** The file of the control store. */
  get store(): string {
    return join(this.#folder, 'data', 'control.db')
  }

  get flags(): readonly string[] {
    return this.#flags
  }

  run(...args: string[]): Promise<string> {
    return output(this.#folder, ...args, ...this.#flags)
  }

  json<Value>(...args: string[]): Promise<Value> {
    return outputJson(this.#folder, ...args, ...this.#flags)
  }

  /** Adds a webhook of a user for an organization. */
  hook(user: string, organization: string, url: string): Promise<{ id: string; secret: string }> {
    return this.json('webhook', 'add', user, url, '--organization', organization, '--webhook-allow', ALLOW)
  }

  async createKey(user: string, organization: string): Promise<string> {
    return (await this.json<{ id: string }>('key', 'create', '--user', user, '--organization', organization)).id
  }

  /** Writes the tables of `early` with one site more than before, so that sealing them makes a snapshot. */
  async change(): Promise<void> {
    const path = join(this.tables, 'sites.csv')
    const [header = '', first = '', ...rest] = (await readFile(path, 'utf8')).trim().split('\n')
    const another = first.replace(/\bsite\b/, `site ${rest.length + 2}`)
    await writeFile(path, [header, first, ...rest, another, ''].join('\n'))
  }

  /** Seals tables that have changed in a new assessment of `early`, which stays open; returns both ids. */
  async seal(): Promise<{ assessmentId: string; snapshotId: string }> {
    await this.change()
    const assessmentId = await this.run('assessment', 'start', PROJECT_IDS.early)
    return { assessmentId, snapshotId: await this.run('snapshot', 'seal', assessmentId, this.tables) }
  }

  serve(flags: readonly string[] = ['--webhook-allow', ALLOW], authority = this.#authority): Promise<Served> {
    return serveWith({ NODE_EXTRA_CA_CERTS: authority }, this.#folder, ...this.#flags, ...flags)
  }
}
