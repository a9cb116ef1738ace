import assert from 'node:assert/strict'
import { importsBelow } from './imports.js'

const TRANSFER = new URL('../../packages/transfer/src/', import.meta.url).pathname

describe('the imports of foldgate-transfer', () => {
  it('load the engine in the process that compares, which is reached by the URL of its script alone', async () => {
    const imports = await importsBelow(TRANSFER)
    const engine = imports.filter(({ from, isOfTypes }) => from === '@duckdb/node-api' && !isOfTypes)
    assert.deepEqual(
      engine.map(({ file }) => file),
      ['comparison/process.ts'],
    )
    assert.deepEqual(
      imports.filter(({ from }) => from.endsWith('/process.js')),
      [],
    )
  })
})
