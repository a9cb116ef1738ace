import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Packed, run } from './packed.js'

const FILES = fileURLToPath(new URL('./bundlers/', import.meta.url))
const BUNDLERS = ['esbuild', 'rollup', 'vite', 'webpack'] as const
const WANTED = [
  'esbuild@0.28.2',
  'rollup@4.68.8',
  '@rollup/plugin-commonjs@29.0.3',
  '@rollup/plugin-node-resolve@16.0.3',
  'vite@8.3.8',
  'webpack@5.113.0',
]
const READERS = ['apache-arrow@21.2.0', 'parquet-wasm@0.8.0']
/** What Rollup reports of every application with this package. */
const OF_ARROW = /^Circular dependency: node_modules\/apache-arrow\//
/** What webpack and Rollup report of packages that an application does without. */
const MISSING = /Can't resolve '(parquet-wasm|apache-arrow)'|^"(parquet-wasm|apache-arrow)" is imported by/

type Told = Record<(typeof BUNDLERS)[number], string[]>

describe('the client in a bundle', () => {
  let packed: Packed
  let folder: string
  before(async function () {
    packed = await Packed.make()
    folder = await packed.host('bundlers')
    if (!(await packed.add(folder, 'bundlers', ...WANTED))) return this.skip()
    await cp(FILES, folder, { recursive: true })
  })
  after(() => packed.remove())

  const bundled = async () => JSON.parse(await run(process.execPath, ['build.mjs'], { cwd: folder })) as Told
  const printed = async (bundler: string) =>
    (await run(process.execPath, [join(bundler, 'app.mjs')], { cwd: folder })).trimEnd().split('\n')
  const rows = '[{"n":1}]'

  it('is made by each bundler without the packages that read tables, and runs', async () => {
    const told = await bundled()
    const others = BUNDLERS.flatMap(bundler => told[bundler].filter(message => !MISSING.test(message)))
    assert.deepEqual([others, told.esbuild, told.vite], [[], [], []])
    for (const bundler of BUNDLERS)
      assert.deepEqual(await printed(bundler), [rows, rows, 'readTable() needs two packages'], bundler)
  })

  it('is made by each bundler with these packages and without a warning, and runs', async function () {
    if (!(await packed.add(folder, 'readers of tables', ...READERS))) return this.skip()
    const told = await bundled()
    const others = BUNDLERS.flatMap(bundler => told[bundler].filter(message => !OF_ARROW.test(message)))
    assert.deepEqual(others, [])
    for (const bundler of BUNDLERS) assert.deepEqual((await printed(bundler)).slice(0, 2), [rows, rows], bundler)
  })
})
