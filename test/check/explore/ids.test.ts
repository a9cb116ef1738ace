import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { ELEMENTS, USER_ELEMENTS } from '#server/explore/element-ids.js'
import { explorePage } from '#server/explore/page.js'
import { layout } from '#server/pages/layout.js'

const VISIT = { token: 'a', formToken: 'b' }
const USER = {
  id: '1',
  email: 'ada@example.org',
  organizations: ['north'],
  hasPassword: true,
  createdAt: 0,
  suspendedAt: null,
}
const STRANGER = layout(explorePage({ ...VISIT, user: null }, []))
const OF_USER = layout(explorePage({ ...VISIT, user: USER }, [{ key: 'north', name: 'North', createdAt: 0 }]))

/** The elements of a page that have an id: id and tag. */
const elementsIn = (page: string) =>
  [...page.matchAll(/<(\w+)\b[^<>]*?\sid="([^"]*)"/g)].map(([, tag, id]) => [id, tag] as const)

describe('the elements of the query page', () => {
  it('have the ids and the tags of the map, each once', () => {
    for (const [page, expected] of [
      [STRANGER, ELEMENTS],
      [OF_USER, { ...ELEMENTS, ...USER_ELEMENTS }],
    ] as const)
      assert.deepEqual([...elementsIn(page)].sort(), Object.entries(expected).sort())
  })

  it('refer to each other by ids that the page has', () => {
    for (const page of [STRANGER, OF_USER]) {
      const ids = new Set(elementsIn(page).map(([id]) => id))
      const named = [...page.matchAll(/\s(?:for|aria-(?:controls|labelledby|describedby))="([^"]*)"/g)]
      assert.ok(named.length > 30)
      for (const id of named.flatMap(([, ids = '']) => ids.split(' '))) assert.ok(ids.has(id), id)
    }
  })

  it('are styled by ids that the page has', async () => {
    const style = new URL('../../../server/dist/page/style.css', import.meta.url)
    const selectors = (await readFile(style, 'utf8')).replace(/\{[^{}]*\}/g, '{}')
    for (const [, id = ''] of selectors.matchAll(/#([\w-]+)/g)) assert.ok(id in ELEMENTS, id)
  })
})
