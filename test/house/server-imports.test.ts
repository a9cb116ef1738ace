import assert from 'node:assert/strict'
import { circlesIn, type Import, importsBelow, upwardsIn } from './imports.js'

const SERVER = new URL('../../server/', import.meta.url).pathname

/** Folders and files of server/ in layers: each may import from its own line and the lines above it. */
const FLOORS = [
  ['input', 'operation'],
  ['database'],
  ['settings'],
  ['store'],
  ['snapshots'],
  ['pages'],
  ['serving'],
  ['cli', 'demo', 'parts'],
]

/** Packages and modules, and the only files that may import them. */
const PACKAGES: Record<string, RegExp> = {
  '#assessed/catalogue.js': /^settings\/load-catalogue\.ts$/,
  'foldgate-trino': /^(serving|snapshots)\//,
  koa: /^(pages|serving)\//,
  'koa-router': /^(pages|serving)\//,
  kysely: /^(database|store)\//,
  libsql: /^database\/embedded\.ts$/,
  commander: /^cli\//,
  pino: /^operation\//,
  'prom-client': /^serving\//,
  ws: /^serving\//,
  '@duckdb/node-api': /(?!)/, // the library and packages load it, in processes of their own
}

describe('the imports of the server', () => {
  let imports: Import[]
  before(async () => {
    imports = await importsBelow(SERVER)
  })

  it('never go to a later layer', () => {
    assert.deepEqual(upwardsIn(imports, FLOORS), [])
  })

  it('never go round in a circle', () => {
    assert.deepEqual(circlesIn(imports), [])
  })

  it('name no package for an audience but for its types: the server finds those that are installed', () => {
    const named = imports.filter(({ from, isOfTypes }) => /^foldgate-/.test(from) && !isOfTypes)
    assert.deepEqual(named, [])
  })

  it('name packages that belong to one room only there', () => {
    const strangers = imports.filter(({ file, from }) => PACKAGES[from]?.test(file) === false)
    assert.deepEqual(strangers, [])
  })
})
