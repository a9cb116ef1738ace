import assert from 'node:assert/strict'
import { filesOfRepository, readFromRoot } from './documents.js'

const MOST_LINES = 400
const ROOMS = /^(lib|server|packages|test|examples|bench)\//
const CODE = ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.css', '.html', '.py', '.R', '.sh']

describe('every file of code', () => {
  it(`has at most ${MOST_LINES} lines`, async () => {
    const files = (await filesOfRepository(...CODE)).filter(file => ROOMS.test(file))
    assert.ok(files.length > 400)
    const sizes = await Promise.all(
      files.map(async file => ({ file, lines: (await readFromRoot(file)).trimEnd().split('\n').length })),
    )
    assert.deepEqual(
      sizes.filter(({ lines }) => lines > MOST_LINES),
      [],
    )
  })
})
