import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineCatalogue } from 'foldgate'
import reference from '#assessed/catalogue.js'
import { Refusal } from '#server/input/refusal.js'
import { isReference, loadCatalogue } from '#server/settings/load-catalogue.js'
import { scratchFolder } from './command.js'
import { kiosk, writeCatalogue } from './kiosk.js'

const scratch = scratchFolder()
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ORDERS = `defineTable({ name: 'orders', columns: { total: 'INTEGER' } })`

describe('the catalogue of a server', () => {
  let written = 0
  const load = async (text: string, name = `catalogue-${++written}.mjs`) => {
    await writeFile(join(scratch.path, name), text)
    return loadCatalogue(join(scratch.path, name))
  }
  /** The message of the refusal, which has one line. */
  const refusal = async (loading: Promise<unknown>) => {
    const error = await loading.then(
      () => assert.fail('it was loaded'),
      (cause: unknown) => cause,
    )
    assert.ok(error instanceof Refusal, String(error))
    assert.doesNotMatch(error.message, /\n/)
    return error.message
  }

  before(async () => {
    await mkdir(join(scratch.path, 'node_modules'))
    await symlink(ROOT, join(scratch.path, 'node_modules', 'foldgate'))
  })

  it('is the reference catalogue without a module', async () => {
    assert.equal(await loadCatalogue(null), reference)
    assert.deepEqual([isReference(reference), isReference(kiosk)], [true, false])
  })

  it('is what a module exports as its default', async () => {
    const { relations, hierarchy } = await load(
      `import { defineCatalogue, defineTable } from 'foldgate'\nexport default defineCatalogue({ relations: [${ORDERS}] })`,
    )
    assert.deepEqual([[...relations.keys()], hierarchy], [['orders'], null])
  })

  it('may be made by another copy of the library', async () => {
    const [hierarchy, limited] = [reference.hierarchy, [...reference.relations.values()]]
    const team = { type: 'BIGINT', about: 'Number of a team' }
    const ours = defineCatalogue({ hierarchy, relations: limited, rowLimits: { team } })
    assert.deepEqual(ours.rowLimits, { team })
    for (const given of [kiosk, reference, ours]) {
      const loaded = await loadCatalogue(await writeCatalogue(scratch.path, given))
      assert.deepEqual(loaded, given)
    }
  })

  const WRONG: [about: string, text: string, message: RegExp][] = [
    ['no default export', 'export const catalogue = 1', /has no default export: write "export default defineCatalogue/],
    ['the definition', 'export default { relations: [] }', /exports something else than a catalogue: write "export/],
    ['a function', 'export default () => ({})', /exports something else than a catalogue: write/],
    ['nothing', 'export default null', /exports something else than a catalogue: write/],
    ['a promise', 'export default Promise.resolve({})', /exports something else than a catalogue: write/],
    [
      'relations of another kind',
      `export default { summaries: [], relations: new Map([['x', { kind: 'view', name: 'x' }]]) }`,
      /something else than a catalogue \(relation "x" is neither a table nor a fold: use defineTable or defineFold\): write/,
    ],
    [
      'a relation without columns to check',
      `export default { summaries: [], relations: new Map([['x', { kind: 'table', name: 'x' }]]) }`,
      /something else than a catalogue \([^\n]+\): write/,
    ],
    [
      'a mistake in the definition',
      `import { defineCatalogue, defineTable } from 'foldgate'\nexport default defineCatalogue({ relations: [${ORDERS}, ${ORDERS}] })`,
      /cannot be loaded: relation "orders" is defined twice \(catalogue-\d+\.mjs:2\)\. Correct it, then run the same command again$/,
    ],
    [
      'an error of several lines',
      `throw new Error('first\\nsecond')`,
      /cannot be loaded: first \(catalogue-\d+\.mjs:1\)\. Correct it/,
    ],
    ['something thrown that is no error', 'throw null', /cannot be loaded: null. Correct it/],
    [
      'broken syntax',
      'export default {',
      /: Unexpected end of input\. "node --check" with each of its files says where$/,
    ],
    [
      'an import that is missing',
      `import 'not-there-at-all'`,
      /Cannot find package 'not-there-at-all'.* Install what it imports/,
    ],
    ['a file that is missing', `import './not-there.js'`, /Cannot find module .* Install what it imports beside it/],
  ]
  for (const [about, text, message] of WRONG)
    it(`is refused with ${about}`, async () => {
      const said = await refusal(load(text))
      assert.match(said, message)
      assert.match(said, /^The catalogue "[^"]+catalogue-\d+\.mjs" /)
    })

  it('is refused as a file that is missing, a folder, or of another language', async () => {
    const at = (name: string) => refusal(loadCatalogue(join(scratch.path, name)))
    assert.match(await at('missing.js'), /missing\.js" is not there: name an ES module, such as \.\/catalogue\.js$/)
    assert.match(await at('node_modules'), /node_modules" is no file: name an ES module/)
    assert.match(await refusal(load('a: 1', 'catalogue.yaml')), /Name a file of JavaScript, ending with \.js or \.mjs$/)
  })
})
