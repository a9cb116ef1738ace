import assert from 'node:assert/strict'
import { type Import, importsBelow, upwardsIn } from './imports.js'

const TRINO = new URL('../../packages/trino/src/', import.meta.url).pathname

/** Folders and files of packages/trino/src/ in layers: each may import from its own line and the lines above it. */
const FLOORS = [
  ['values'],
  ['protocol'],
  ['rules', 'relations', 'rows'],
  ['statement'],
  ['options', 'statements'],
  ['engine'],
  ['index', 'main'],
]

describe('the imports of foldgate-trino', () => {
  let imports: Import[]
  before(async () => {
    imports = await importsBelow(TRINO)
  })

  it('never go to a later layer', () => {
    assert.deepEqual(upwardsIn(imports, FLOORS), [])
  })

  it('reach the process that reads rows by the URL of its script alone', () => {
    assert.deepEqual(
      imports.filter(({ from }) => from.endsWith('row-process-main.js')),
      [],
    )
  })
})
