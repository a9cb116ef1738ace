import assert from 'node:assert/strict'
import { table } from '#server/cli/print.js'

describe('a table that a command prints', () => {
  it('aligns the columns of a million rows', () => {
    const rows = Array.from({ length: 1_000_000 }, (_, row) => [String(row), 'x'])
    const lines = table([['id', 'x'], ...rows]).split('\n')
    assert.equal(lines.length, 1_000_001)
    for (const [at, id] of [
      [0, 'id'],
      [1, '0'],
      [1_000_000, '999999'],
    ] as const)
      assert.equal(lines[at], `${id.padEnd(6)}  x`)
  })
})
