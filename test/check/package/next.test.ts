import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sealTables } from '../../../examples/seal.js'
import { freePort, stop } from '../../server/server.js'
import { until } from '../../until.js'
import { Packed, ROOT, run, writeTables } from './packed.js'

const WANTED = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1']
/** What Next adds to a project in TypeScript; it would install them itself, in other versions. */
const TYPES = ['typescript@6.0.3', '@types/node@20.19.43', '@types/react@19.3.0']
const PROJECT = 'd2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10'
const ROUTE = 'app/analytics/public/v1/[...path]'
const BUILDS_WITHIN_MS = 240_000

/** The settings of TypeScript that `create-next-app` writes. */
const TYPESCRIPT = {
  compilerOptions: {
    target: 'ES2017',
    lib: ['dom', 'dom.iterable', 'esnext'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    esModuleInterop: true,
    isolatedModules: true,
    jsx: 'react-jsx',
    plugins: [{ name: 'next' }],
    paths: { '@/*': ['./*'] },
  },
  include: ['**/*.ts', '.next/types/**/*.ts'],
  exclude: ['node_modules'],
}

describe('the library in an application of Next.js', () => {
  let packed: Packed
  let folder: string
  let server: ChildProcess | undefined
  let log: string
  const environment = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' as const }
  before(async function () {
    packed = await Packed.make()
    folder = await packed.host('next')
    if (!(await packed.add(folder, 'Next.js', ...WANTED, ...TYPES))) return this.skip()
    const examples = join(ROOT, 'examples')
    await mkdir(join(folder, ROUTE), { recursive: true })
    await cp(join(examples, 'next/route.ts'), join(folder, ROUTE, 'route.ts'))
    await cp(join(examples, 'next/analytics.ts'), join(folder, 'analytics.ts'))
    await cp(join(examples, 'catalogue.ts'), join(folder, 'catalogue.ts'))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TYPESCRIPT))
    await writeTables(join(folder, 'tables'))
    await sealTables(join(folder, 'data'), PROJECT, join(folder, 'tables'))
  })
  afterEach(async () => {
    if (server?.exitCode === null && server.signalCode === null) await stop(server, 'SIGKILL')
  })
  after(() => packed.remove())

  const next = () => join(folder, 'node_modules/next/dist/bin/next')

  /** Builds the application with the configuration of the example, as changed. */
  async function build(change: (config: string) => string): Promise<void> {
    await rm(join(folder, '.next'), { recursive: true, force: true })
    const config = await readFile(join(ROOT, 'examples/next/next.config.ts'), 'utf8')
    await writeFile(join(folder, 'next.config.ts'), change(config))
    await run(process.execPath, [next(), 'build'], { cwd: folder, env: environment, timeout: BUILDS_WITHIN_MS })
  }

  /** Starts a server of Next; returns a function that calls a method of its API. */
  async function serve(script: string, ...args: string[]) {
    const port = String(await freePort())
    const url = `http://127.0.0.1:${port}/analytics`
    const own = { ANALYTICS_URL: url, ANALYTICS_FOLDER: join(folder, 'data'), ANALYTICS_KEY: 'a-key' }
    const bound = { PORT: port, HOSTNAME: '127.0.0.1', FOLDGATE_SECRET: 'a secret that is long enough for it' }
    server = spawn(process.execPath, [script, ...args], {
      cwd: folder,
      env: { ...environment, ...own, ...bound },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    assert.ok(server.stdout && server.stderr)
    log = ''
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        log += text
      })
    const ready = (async () => {
      for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream }))
        if (line.includes('Ready')) return
    })()
    await Promise.race([ready, once(server, 'exit')])
    return (method: string, params: object) =>
      fetch(`${url}/public/v1/api/projects/${method}`, {
        method: 'POST',
        headers: { authorization: 'Bearer a-key' },
        body: JSON.stringify(params),
      })
  }

  type Call = Awaited<ReturnType<typeof serve>>
  async function checkAnswers(call: Call): Promise<void> {
    assert.deepEqual(await (await call('list', {})).json(), {
      result: { items: [{ projectId: PROJECT, name: 'Ours', organization: 'us', state: 'computed' }] },
    })
    const query = await call('query', { projectId: PROJECT, sql: 'SELECT city, km FROM city_trips WHERE km > 20' })
    assert.deepEqual(await query.json(), { result: { items: [{ city: 'Nairobi', km: 31 }] } }, log)
  }

  /** Builds a standalone server, away from the packages of the application; returns its script. */
  async function buildStandalone(change: (config: string) => string): Promise<string> {
    const options = "\n  output: 'standalone',\n  typescript: { ignoreBuildErrors: true },"
    await build(config => change(config).replace('= {', `= {${options}`))
    const alone = await mkdtemp(join(packed.folder, 'standalone-'))
    await rename(join(folder, '.next/standalone'), alone)
    return join(alone, 'server.js')
  }

  it('answers with `next start`', async () => {
    await build(config => config)
    await checkAnswers(await serve(next(), 'start', '--hostname', '127.0.0.1'))
  })

  it('answers from a standalone build', async () => {
    await checkAnswers(await serve(await buildStandalone(config => config)))
  })

  it('says what to configure when it is bundled into a standalone build', async () => {
    const bundled = (config: string) =>
      config.replace(/^ {2}serverExternal\w+: .*\n|^ {2}outputFileTracing\w+: \{[^}]*\},\n/gm, '')
    const call = await serve(await buildStandalone(bundled))
    assert.equal((await call('list', {})).status, 500)
    await until(() => log.includes('Foldgate'), 'the server logs the failure')
    assert.match(log, /Foldgate cannot be bundled: .* serverExternalPackages: \['foldgate'\] in Next\.js/)
  })
})
