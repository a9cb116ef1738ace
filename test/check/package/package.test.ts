import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { blocksOf } from '../../house/documents.js'
import { Packed, ROOT, run } from './packed.js'

/** The size that README.md states. */
const MAX_INSTALLED_BYTES = 80_000_000
/** The entry points, each with a name that it exports. */
const ENTRIES = {
  foldgate: 'createAnalyticsApi',
  'foldgate/client': 'createClient',
  'foldgate/node': 'toNodeHandler',
  'foldgate/koa': 'toKoaMiddleware',
  'foldgate/ws': 'serveWebSocket',
  'foldgate/sealing': 'openSealer',
}
/** The packages that a host adds, each with a name that it exports. */
const ADDED = {
  'foldgate-contracts': 'keyPortContract',
  'foldgate-explore': 'explorePage',
  'foldgate-s3': 's3Exports',
  'foldgate-postgres': 'fromPostgres',
}
const CONSUMER = `import { createServer } from 'node:http'
import { type AnalyticsOptions, createAnalyticsApi, ERROR_CLASSES, type KeyPort, LIMITS } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import { type Client, createClient } from 'foldgate/client'
import { type Check, keyPortContract } from 'foldgate-contracts'
import { mcpEndpoint } from 'foldgate/mcp'
import { signToken, tokenKeys } from 'foldgate/tokens'
export const serve = (options: AnalyticsOptions) =>
  createServer(toNodeHandler(createAnalyticsApi({ ...options, mcp: mcpEndpoint() })))
export const client: Client = createClient({ url: 'https://data.example', key: 'k' })
export const check = (port: KeyPort): Check[] =>
  keyPortContract(() => ({
    port,
    key: 'k',
    caller: { keyId: '1', ownerId: 'ada', organizations: [] },
    revoke() {},
  }))
export const keys: KeyPort = tokenKeys({ issuer: 'i', audience: 'a', jwks: 'https://id.example/keys' })
export const token: Promise<string> = signToken({
  key: { kty: 'OKP', kid: 'a' },
  issuer: 'i',
  audience: 'a',
  subject: 's',
  organization: 'o',
  expiresInMs: 60_000,
})
export const budgetMs: number = LIMITS.queryTimeoutMs.default
export const status: number = ERROR_CLASSES.FORBIDDEN.status
`

describe('the packages as they are published', () => {
  let packed: Packed
  let library: string
  /** A host that has the packages for audiences as well, without their peers. */
  let added: string
  before(async () => {
    packed = await Packed.make()
    library = await packed.host('host')
    added = await packed.host('added')
    const tarballs = Object.keys(ADDED).map(name => packed.tarballs.get(name) ?? assert.fail(name))
    await run('npm', ['install', '--omit=dev', '--legacy-peer-deps', '--loglevel=error', ...tarballs], { cwd: added })
  })
  after(() => packed.remove())

  it('are as small as the README says', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    assert.match(readme, /takes less than 80 MB/)
    const files = await readdir(join(library, 'node_modules'), { recursive: true, withFileTypes: true })
    const sizes = await Promise.all(
      files
        .filter(file => file.isFile())
        .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
    )
    const installed = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(installed < MAX_INSTALLED_BYTES, `${installed} bytes are installed`)
  })

  it('contain code and documentation, and nothing else', async () => {
    const root = join(library, 'node_modules', 'foldgate')
    const found = await readdir(root, { recursive: true, withFileTypes: true })
    const files = found
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    assert.deepEqual(
      files.filter(file => !/^dist\/.*\.(js|d\.ts)$|^(docs|examples)\/|^(package\.json|LICENSE)$|\.md$/.test(file)),
      [],
    )
  })

  it('contain the bundles that the processes of the engine start from, with the licence of what is in them', async () => {
    const root = join(library, 'node_modules', 'foldgate', 'dist')
    for (const script of ['duckdb/child/main.js', 'duckdb/child/guard-main.js']) {
      const bundle = await readFile(join(root, 'bundle', script), 'utf8')
      assert.match(bundle, /^\/\*\nIncludes @duckdb\/node-api [\s\S]*Permission is hereby granted, free of charge/)
      assert.doesNotMatch(bundle, /require\(['"]@duckdb\/node-api/)
    }
    const { childScript } = await import(join(root, 'sandbox', 'script.js'))
    const { href } = childScript('./child/main.js', pathToFileURL(join(root, 'duckdb', 'worker.js')).href)
    assert.match(href, /dist\/bundle\/duckdb\/child\/main\.js$/)
  })

  it('contain the declarations that those of the entry points refer to, in one folder', async () => {
    const root = join(library, 'node_modules', 'foldgate')
    const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const needed = new Set<string>()
    const follow = async (file: string): Promise<void> => {
      if (needed.has(file)) return
      needed.add(file)
      const text = await readFile(join(root, file), 'utf8')
      for (const [, from = ''] of text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g))
        await follow(join(dirname(file), from.replace(/\.js$/, '.d.ts')))
    }
    for (const { types } of Object.values<{ types?: string }>(exports)) if (types) await follow(join(types))
    assert.ok(needed.size > 20)
    const files = (await readdir(root, { recursive: true })).filter(file => file.endsWith('.d.ts'))
    assert.deepEqual(
      files.filter(file => !file.startsWith('dist/types/')),
      [],
    )
  })

  it('install nothing of the server for a host of the library', async () => {
    const installed = await readdir(join(library, 'node_modules'))
    for (const name of [
      'koa',
      'koa-router',
      'ws',
      'pg',
      'libsql',
      'kysely',
      'foldgate-server',
      '@modelcontextprotocol',
      '@opentelemetry',
      'jose',
    ])
      assert.ok(!installed.includes(name), name)
  })

  it('can be imported and required', async () => {
    for (const [cwd, entries] of [
      [library, ENTRIES],
      [added, { 'foldgate-contracts': ADDED['foldgate-contracts'] }],
    ] as const)
      for (const [entry, name] of Object.entries(entries)) {
        const imported = `import { ${name} } from '${entry}'; console.log(typeof ${name})`
        assert.match(await run(process.execPath, ['--input-type=module', '-e', imported], { cwd }), /^function/)
        const required = `console.log(typeof require('${entry}').${name})`
        assert.match(await run(process.execPath, ['--input-type=commonjs', '-e', required], { cwd }), /^function/)
      }
  })

  for (const [entry, missing] of [
    ['foldgate/mcp', '@modelcontextprotocol/server'],
    ['foldgate/opentelemetry', '@opentelemetry/api'],
    ['foldgate/tokens', 'jose'],
    ['foldgate-s3', '@aws-sdk/client-s3'],
    ['foldgate-postgres', 'pg-copy-streams'],
  ] as const)
    it(`say which package is missing when ${entry} is imported without it`, async () => {
      const code = `import('${entry}').catch(cause => console.log(cause.message))`
      const told = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: added })
      assert.ok(told.includes(`'${missing}'`), told)
    })

  it('type-check in a strict project that also checks its libraries', async () => {
    // Optional peers are not installed, so no declaration may need them: only the types of Node are added.
    const folder = added
    await mkdir(join(folder, 'node_modules/@types'), { recursive: true })
    await symlink(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'))
    await writeFile(join(folder, 'consumer.ts'), CONSUMER)
    const compilerOptions = {
      strict: true,
      module: 'NodeNext',
      target: 'ES2023',
      skipLibCheck: false,
      noEmit: true,
      types: ['node'],
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder])
  })

  it('pass the package linters', async () => {
    for (const tarball of packed.tarballs.values())
      await run(process.execPath, [join(ROOT, 'node_modules/publint/src/cli.js'), tarball, '--strict'])
    const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    await run(process.execPath, [attw, '--profile', 'esm-only', packed.tarballs.get('foldgate') as string])
  })

  it('run the demonstration, as the README of the server says', async () => {
    const [{ code = '' } = {}] = (await blocksOf('server/README.md')).filter(({ below }) => below === 'foldgate-server')
    const lines = code.trim().split('\n')
    assert.deepEqual(lines.slice(0, 3), ['git clone https://github.com/foldgate/foldgate', 'cd foldgate', 'npm ci'])
    const [pack = '', ...rest] = lines.slice(3)
    const args = pack.replace(/^npm /, '').split(' ')
    const into = await mkdtemp(join(packed.folder, 'all-'))
    const clone = join(into, 'foldgate')
    await mkdir(clone)
    // What is packed is built already: see packed.ts.
    await run('npm', [...args.map(arg => (arg === '..' ? into : arg)), '--ignore-scripts'], { cwd: ROOT })
    assert.equal(rest.pop(), 'npx foldgate demo')
    const demo = 'npx --no-install foldgate demo --once --json --port 0'
    const commands = [...rest, demo].join('\n').replaceAll('npm install', 'npm install --loglevel=error')
    const told = await run('bash', ['-euo', 'pipefail', '-c', commands], { cwd: clone })
    const { projects, queries } = JSON.parse(told.slice(told.lastIndexOf('\n{'))) as {
      projects: number
      queries: { rows: number }[]
    }
    assert.ok(projects > 0 && queries.length > 0 && queries.every(query => query.rows > 0))
    // Without the packages for audiences, the server says which one is missing.
    for (const [command, said] of [
      ['organization list --store postgres://nobody@127.0.0.1:1/none', 'needs the package foldgate-postgres: install'],
      ['organization list --shared s3://bucket/prefix', 'needs the package foldgate-s3: install'],
      ['import folder', "unknown command 'import'\n.* Not installed: .*\\(foldgate-transfer\\)"],
      ['snapshot diff project', "unknown command 'diff'\n.* Not installed: .*\\(foldgate-transfer\\)"],
      ['webhook list', "unknown command 'webhook'\n.* Not installed: .*\\(foldgate-webhooks\\)"],
    ] as const)
      await assert.rejects(
        run('npx', ['--no-install', 'foldgate', ...command.split(' ')], { cwd: join(into, 'service') }),
        new RegExp(said),
      )
    // The catalogue of the demonstration is an example that a vendor can copy.
    const blocks = await blocksOf('examples/assessed/README.md')
    const copy = blocks.find(({ below }) => below === 'Assessed projects')
    const service = join(into, 'service')
    // The types of Node come with apache-arrow.
    for (const name of ['typescript', '.bin/tsc'])
      await symlink(join(ROOT, 'node_modules', name), join(service, 'node_modules', name))
    await run('npm', ['pkg', 'set', 'type=module'], { cwd: service })
    const checked = await run('bash', ['-euo', 'pipefail', '-c', copy?.code ?? ''], { cwd: service })
    assert.match(checked, /^The catalogue is right: \d+ relations and \d+ examples were tried$/m)
    const mounted = "import { mcpEndpoint } from 'foldgate/mcp'; console.log(typeof mcpEndpoint)"
    const host = { cwd: join(into, 'service') }
    assert.match(await run(process.execPath, ['--input-type=module', '-e', mounted], host), /^function/)
  })
})
