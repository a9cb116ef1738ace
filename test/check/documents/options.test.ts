import assert from 'node:assert/strict'
import { readFromRoot } from '../../house/documents.js'
import { OPTIONS_PAGE, withTables } from './option-tables.js'

describe(OPTIONS_PAGE, () => {
  it('has every option of a host, with what its comment says (npx tsx test/check/documents/write-options.ts)', async () => {
    const page = await readFromRoot(OPTIONS_PAGE)
    assert.equal(page, withTables(page))
  })
})
