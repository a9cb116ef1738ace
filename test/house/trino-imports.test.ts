import assert from 'node:assert/strict'
import { circlesIn, type Import, importsBelow, upwardsIn } from './imports.js'

const TRINO = new URL('../../trino/src/', import.meta.url).pathname

/** Folders and files of trino/src/ in layers: each may import from its own line and the lines above it. */
const FLOORS = [
  ['values'],
  ['protocol'],
  ['rules', 'relations', 'rows'],
  ['statement'],
  ['options', 'statements'],
  ['engine'],
  ['index', 'main'],
]

/** What the package may import: Node, and the library by these of its subpaths. */
const PACKAGES = /^(node:[a-z/_]+|foldgate|foldgate\/(engine|internal|sealing))$/

describe('the imports of foldgate-trino', () => {
  let imports: Import[]
  before(async () => {
    imports = await importsBelow(TRINO)
  })

  it('never go to a later layer', () => {
    assert.deepEqual(upwardsIn(imports, FLOORS), [])
  })

  it('never go round in a circle', () => {
    assert.deepEqual(circlesIn(imports), [])
  })

  it('reach the process that reads rows by the URL of its script alone', () => {
    assert.deepEqual(
      imports.filter(({ from }) => from.endsWith('row-process-main.js')),
      [],
    )
  })

  it('name no package but the library', () => {
    const strangers = imports.filter(({ from }) => !from.startsWith('.') && !PACKAGES.test(from))
    assert.deepEqual(strangers, [])
  })
})
