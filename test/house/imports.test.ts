import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { filesOfRepository, readFromRoot } from './documents.js'
import { circlesIn, type Import, importsBelow, mutualIn, roomOf, targetOf, upwardsIn } from './imports.js'

const LIB = new URL('../../lib/', import.meta.url).pathname

/** Folders and files of lib/ in layers: each may import from its own line and the lines above it. */
const FLOORS = [
  [
    'errors',
    'json-schema',
    'model',
    'schema',
    'catalogue-document',
    'ports',
    'node-version',
    'flow',
    'sandbox',
    'values',
    'words',
  ],
  ['files', 'catalogue', 'objects'],
  ['events', 'engine', 'call', 'snapshots', 'sources'],
  ['client', 'guard'],
  ['duckdb', 'exports'],
  ['duckdb-engine', 'seal'],
  ['methods'],
  ['rpc', 'description'],
  ['http'],
  ['options'],
  ['api'],
  ['adapters', 'mcp', 'telemetry', 'tokens'],
  ['index', 'sealing', 'internal'],
]

/** Packages, and the only files that may import them. */
const PACKAGES: Record<string, RegExp> = {
  '@duckdb/node-api': /^(duckdb|seal)\/child\//,
  '@duckdb/node-bindings': /^duckdb\/child\/duckdb\.ts$/,
  yazl: /^duckdb\/child\/write-xlsx\.ts$/,
  superstruct: /^schema\.ts$/,
  'json-rpc-2.0': /^(rpc|client)\//,
  'parquet-wasm': /^(client\/|duckdb\/child\/|sources\/(batches|parquet-stream)\.ts$|contracts\/delivered\.ts$)/,
  'lz4-napi': /^values\/arrow\.ts$/,
  '@modelcontextprotocol/server': /^mcp\//,
  '@opentelemetry/api': /^telemetry\//,
  jose: /^tokens\//,
  '@aws-sdk/client-s3': /^s3\//,
  '@aws-sdk/lib-storage': /^s3\//,
  pg: /^postgres\//,
  'pg-copy-streams': /^postgres\/transaction\.ts$/,
  'apache-arrow': /^(client\/|values\/arrow\.ts$|sources\/batches\.ts$|contracts\/delivered\.ts$)/,
}

/** Whether a file runs outside the host's process. */
const isInChild = (file: string) => /^(duckdb|seal)\/child\//.test(file)

describe('the imports of the library', () => {
  let imports: Import[]
  before(async () => {
    imports = await importsBelow(LIB)
  })

  it('never go to a later layer', () => {
    assert.deepEqual(upwardsIn(imports, FLOORS), [])
  })

  it('never go round in a circle', () => {
    assert.deepEqual(circlesIn(imports), [])
  })

  it('never go from a folder to another one and back', () => {
    assert.deepEqual(mutualIn(imports), [])
  })

  it('reach what runs outside the host by the URL of its script alone, and its host for types alone', () => {
    const across = imports.filter(each => {
      const target = targetOf(each)
      if (target === null || isInChild(each.file) === isInChild(target)) return false
      return isInChild(target) || (!each.isOfTypes && /^(duckdb|seal)\//.test(target))
    })
    assert.deepEqual(across, [])
  })

  it('name each package only where it is allowed, and no other package', () => {
    const packages = imports.filter(({ from }) => !from.startsWith('.') && !from.startsWith('node:'))
    const strangers = packages.filter(({ file, from }) => !PACKAGES[from]?.test(file))
    assert.deepEqual(strangers, [])
  })
})

/** What decodes UTF-8 itself: the one place for it, what has to mend the binding, and the client, which stands alone. */
const DECODERS = ['client/connection.ts', 'duckdb/child/duckdb.ts', 'values/utf8.ts']

describe('the library', () => {
  it('decodes UTF-8 in one place, since a decoder drops U+FEFF unless it is told not to', async () => {
    const files = (await filesOfRepository('.ts')).filter(file => /^(lib|server|packages\/\w+\/src)\//.test(file))
    const decoding: string[] = []
    for (const file of files) if (/\bnew TextDecoder\b/.test(await readFromRoot(file))) decoding.push(file)
    assert.deepEqual(
      decoding,
      DECODERS.map(file => `lib/${file}`),
    )
  })
})

describe('the client', () => {
  it('stands alone: nothing imports it, and it imports only types, errors, params, paths, places and the check of options', async () => {
    const imports = (await importsBelow(LIB)).filter(({ from }) => from.startsWith('.'))
    const across = imports
      .map(({ file, from }) => [file, normalize(join(dirname(file), from))] as const)
      .filter(([file, target]) => file.startsWith('client/') !== target.startsWith('client/'))
      .map(([file, target]) => `${roomOf(file)} imports ${target}`)
    assert.deepEqual([...new Set(across)].sort(), [
      'client imports call/named-query-params.js',
      'client imports call/page-params.js',
      'client imports call/params.js',
      'client imports call/paths-and-headers.js',
      'client imports catalogue-document.js',
      'client imports errors.js',
      'client imports flow/places.js',
      'client imports model.js',
      'client imports values/known-options.js',
    ])
  })

  it('is published without Node APIs, and imports packages only on demand', async () => {
    const seen = new Map<string, string>()
    const follow = async (url: URL) => {
      if (seen.has(url.href)) return
      const text = await readFile(url, 'utf8')
      seen.set(url.href, text)
      for (const [, from = ''] of text.matchAll(/^(?:import|export|\}).* from '([^']+)'/gm)) {
        assert.match(from, /^\./, `${url.pathname} imports ${from} statically`)
        await follow(new URL(from, url))
      }
    }
    await follow(new URL('../../dist/client/index.js', import.meta.url))
    const code = [...seen.values()].join('\n').replace(/\/\*\*?[\s\S]*?\*\/|^ *\/\/.*/gm, '')
    assert.ok(seen.size >= 10)
    assert.deepEqual(code.match(/\b(Buffer|process|require|__dirname|setImmediate|global)\b|node:[a-z]+/g), null)
    const later = [...code.matchAll(/\bimport\('([^']+)'\)/g)].map(([, name]) => name)
    assert.deepEqual([...new Set(later)].sort(), ['apache-arrow', 'json-rpc-2.0', 'parquet-wasm'])
  })
})

describe('the imports of everything else', () => {
  it('name the library, never a path into it', async () => {
    for (const folder of ['server', 'packages', 'examples', 'bench']) {
      const path = new URL(`../../${folder}/`, import.meta.url).pathname
      const found = await importsBelow(path)
      const inside = found.filter(({ from }) => /(^|\/)lib\/|#lib\/|foldgate\/dist/.test(from))
      assert.deepEqual(inside, [], folder)
    }
  })

  it('name only the public library in the catalogue that comes with the server, as in one that a vendor writes', async () => {
    const found = await importsBelow(new URL('../../examples/assessed/', import.meta.url).pathname)
    const others = found.filter(({ from }) => !/^(\.|node:|foldgate(\/sealing)?$)/.test(from))
    assert.deepEqual(others, [])
    assert.deepEqual(circlesIn(found), [])
  })
})
