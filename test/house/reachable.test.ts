import assert from 'node:assert/strict'
import { NAMES } from '../check/documents/names.js'
import { filesOfRepository, readFromRoot } from './documents.js'

/** Files that readers of the site and of the package have. */
const FOR_READERS = /^(README\.md|docs\/|examples\/)/

describe('the names that the library exports', () => {
  it('are each on a page of the documents or in an example', async () => {
    const files = (await filesOfRepository('.md', '.ts', '.js')).filter(file => FOR_READERS.test(file))
    const words = new Set<string>()
    for (const file of files) {
      const text = await readFromRoot(file)
      const code = file.endsWith('.md') ? (text.match(/```[\s\S]*?```|`[^`]+`/g) ?? []) : [text]
      for (const [word] of code.join('\n').matchAll(/\w+/g)) words.add(word)
    }
    const missing = Object.entries(NAMES).flatMap(([entry, { values, types }]) =>
      [...values, ...types].filter(name => !words.has(name)).map(name => `${name} of ${entry}`),
    )
    assert.deepEqual(missing, [])
  })
})
