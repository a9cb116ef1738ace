import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type Catalogue, defineCatalogue, defineTable } from 'foldgate'
import { catalogue } from '#server/catalogue/index.js'
import { ELEMENTS, USER_ELEMENTS, VIEW_ELEMENTS } from '#server/explore/element-ids.js'
import { explorePage } from '#server/explore/page.js'
import { layout } from '#server/pages/layout.js'
import { wordsOf } from '#server/settings/words.js'

const VISIT = { token: 'a', formToken: 'b' }
const USER = {
  id: '1',
  email: 'ada@example.org',
  organizations: ['north'],
  hasPassword: true,
  createdAt: 0,
  suspendedAt: null,
}
const NORTH = [{ key: 'north', name: 'North', createdAt: 0 }]
const TREELESS = defineCatalogue({ relations: [defineTable({ name: 'orders', columns: { total: 'INTEGER' } })] })

const pagesOf = (given: Catalogue) => ({
  stranger: layout(explorePage({ ...VISIT, user: null }, [], wordsOf(given))),
  user: layout(explorePage({ ...VISIT, user: USER }, NORTH, wordsOf(given))),
})
const [WITH_TREE, WITHOUT] = [pagesOf(catalogue), pagesOf(TREELESS)]
const ALL = { ...ELEMENTS, ...VIEW_ELEMENTS }

/** The elements of a page that have an id: id and tag. */
const elementsIn = (page: string) =>
  [...page.matchAll(/<(\w+)\b[^<>]*?\sid="([^"]*)"/g)].map(([, tag, id]) => [id, tag] as const)

describe('the elements of the query page', () => {
  it('have the ids and the tags of the map, each once', () => {
    for (const [page, expected] of [
      [WITH_TREE.stranger, ALL],
      [WITH_TREE.user, { ...ALL, ...USER_ELEMENTS }],
      [WITHOUT.stranger, ELEMENTS],
      [WITHOUT.user, { ...ELEMENTS, ...USER_ELEMENTS }],
    ] as const)
      assert.deepEqual([...elementsIn(page)].sort(), Object.entries(expected).sort())
  })

  it('refer to each other by ids that the page has', () => {
    for (const page of [WITH_TREE, WITHOUT].flatMap(({ stranger, user }) => [stranger, user])) {
      const ids = new Set(elementsIn(page).map(([id]) => id))
      const named = [...page.matchAll(/\s(?:for|aria-(?:controls|labelledby|describedby))="([^"]*)"/g)]
      assert.ok(named.length > 20)
      for (const id of named.flatMap(([, ids = '']) => ids.split(' '))) assert.ok(ids.has(id), id)
    }
  })

  it('speak of no owners and no assessments without a tree', () => {
    for (const page of [WITHOUT.stranger, WITHOUT.user])
      assert.doesNotMatch(page, /assess|entit|ownership|nature|point of view|\bnet\b|gross/i)
  })

  it('are styled by ids that the page has', async () => {
    const style = new URL('../../../server/dist/page/style.css', import.meta.url)
    const selectors = (await readFile(style, 'utf8')).replace(/\{[^{}]*\}/g, '{}')
    for (const [, id = ''] of selectors.matchAll(/#([\w-]+)/g)) assert.ok(id in ALL, id)
  })
})
