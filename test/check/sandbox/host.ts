import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JobProcess, ProcessDied } from '#lib/flow/parent.js'
import type { Launcher } from '#lib/sandbox/launchers.js'
import { NO_SANDBOX } from '#lib/sandbox/sandbox.js'
import { WALLS } from '#lib/sandbox/walls.js'
import { World } from '#lib/sandbox/world.js'
import { nullable, text } from '#lib/schema.js'

/** With this status, a shell ends that has taken the place of the process. */
const SHELL_STATUS = 42
export const MEMORY_LIMIT_BYTES = 512 * 1024 ** 2
const DISK_BYTES = 256 * 1024 ** 2
const ENDS_WITHIN_MS = 20_000
const HANDLE_BYTES = 128
const SECRET = 'of the host, and of nobody else'

/** What the process answers: null, or the code of an error. */
export const ERROR_CODE = { schema: nullable(text('Code of an error.')) }
export const SCRIPT = { url: new URL('./child.mjs', import.meta.url), packages: ['foldgate', 'koffi'] }

interface Native {
  AT_FDCWD: number
  call(name: string, ...given: (number | string | Buffer)[]): number
}

/** The host of one process: what it has, and what the process must not reach. */
export class Host {
  readonly folder: string
  readonly world: World
  readonly #launcher: Launcher | null
  readonly #servers: Server[] = []
  #victim: ChildProcess | null = null
  #settings: object = {}
  #process: JobProcess<string> | null = null

  private constructor(folder: string, launcher: Launcher | null) {
    this.folder = folder
    this.world = new World(join(folder, 'world'))
    this.#launcher = launcher
  }

  static async open(launcher: Launcher | null): Promise<Host> {
    const host = new Host(await realpath(await mkdtemp(join(tmpdir(), 'foldgate-proof-'))), launcher)
    await host.#furnish()
    return host
  }

  async #furnish(): Promise<void> {
    const { folder, world } = this
    const [store, relation, socket] = [
      join(folder, 'store.db'),
      join(folder, 'other/given/rows'),
      join(folder, 'socket'),
    ]
    await mkdir(join(folder, 'other/given'), { recursive: true })
    for (const path of [store, relation, join(folder, 'own-relation')]) await writeFile(path, 'of the host')
    await world.furnish(SCRIPT, true)
    await world.give('rows', join(folder, 'own-relation'))
    const abstract = `foldgate-${randomUUID()}`
    const listening = await this.#listen({ port: 0, host: '127.0.0.1' })
    await this.#listen({ path: `\0${abstract}` })
    await this.#listen({ path: socket })
    process.env.FOLDGATE_TEST_SECRET = SECRET
    this.#victim = spawn('/bin/sleep', ['600'], { stdio: 'ignore', env: { SECRET: 'of the host' } })
    await once(this.#victim, 'spawn')
    const victim = this.#victim.pid as number
    this.#settings = {
      ...{ folder, store, relation, socket, abstract, victim, host: process.pid, status: SHELL_STATUS },
      secret: SECRET,
      ...{ own: world.own, given: join(world.given, 'rows'), port: (listening.address() as AddressInfo).port },
      address: Number.parseInt(await readFile(`/proc/${victim}/maps`, 'latin1'), 16),
      handle: await handleOf(store),
    }
  }

  async #listen(options: object): Promise<Server> {
    const server = createServer(socket => socket.destroy()).listen(options)
    this.#servers.push(server)
    await once(server, 'listening')
    return server
  }

  /** Has the process try something: null when it was possible, else the code of the error. */
  async try(name: string): Promise<string | null> {
    const job = await this.start()
    const timer = setTimeout(() => job.kill(), ENDS_WITHIN_MS)
    try {
      return (await job.run(name, ERROR_CODE)).value
    } catch (cause) {
      if (!(cause instanceof ProcessDied)) throw cause
      const { code, signal, stderr } = cause.exit
      return code === SHELL_STATUS ? null : `it ended: ${signal ?? code} ${stderr}`
    } finally {
      clearTimeout(timer)
    }
  }

  /** The process, which starts again when it has ended. */
  async start(): Promise<JobProcess<string>> {
    if (this.#process?.alive) return this.#process
    this.#process = new JobProcess<string>({
      script: SCRIPT,
      world: this.world,
      sandbox: this.#launcher ? { launcher: this.#launcher, walls: WALLS, missing: null } : NO_SANDBOX,
      settings: this.#settings,
      memoryLimitBytes: MEMORY_LIMIT_BYTES,
      failures: text('What has failed.'),
      bounds: { diskBytes: DISK_BYTES },
    })
    await this.#process.ready.catch(async () => {
      throw new Error(`the process does not start: ${JSON.stringify(await this.#process?.exited)}`)
    })
    return this.#process
  }

  async close(): Promise<void> {
    this.#process?.kill()
    await this.#process?.exited
    this.#victim?.kill('SIGKILL')
    for (const server of this.#servers) server.close()
    await this.world.remove()
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** What leads to a file without its path; empty where the file system has no such handles. */
async function handleOf(path: string): Promise<string> {
  const { call, AT_FDCWD } = (await import(new URL('./native.mjs', import.meta.url).href)) as Native
  const handle = Buffer.alloc(8 + HANDLE_BYTES)
  handle.writeUInt32LE(HANDLE_BYTES)
  try {
    call('name_to_handle_at', AT_FDCWD, path, handle, Buffer.alloc(4), 0)
    return handle.toString('hex')
  } catch {
    return ''
  }
}
