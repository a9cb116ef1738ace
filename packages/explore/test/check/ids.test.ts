import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { ELEMENTS, KEY_ELEMENTS, QUERY_ELEMENTS, VIEW_ELEMENTS } from '#explore/element-ids.js'
import type { Offers } from '#explore/offers.js'
import { queryPage } from '#explore/page.js'

const TOKEN = 'b'
const OFFERS: Offers = {
  account: '/',
  keys: { path: '/key', token: TOKEN, reads: ['North'], days: 7 },
  queries: { path: '/queries', token: TOKEN },
}

const pagesOf = (hasPointOfView: boolean) => {
  const pageFor = (offers: Offers) => {
    const { bar, main } = queryPage({ mount: '', hasPointOfView, offers })
    return bar.text + main.text
  }
  return { stranger: pageFor({}), known: pageFor({ account: '/' }), user: pageFor(OFFERS) }
}
const [WITH_TREE, WITHOUT] = [pagesOf(true), pagesOf(false)]
const ALL = { ...ELEMENTS, ...VIEW_ELEMENTS }
const OFFERED = { ...KEY_ELEMENTS, ...QUERY_ELEMENTS }

/** The elements of a page that have an id: id and tag. */
const elementsIn = (page: string) =>
  [...page.matchAll(/<(\w+)\b[^<>]*?\sid="([^"]*)"/g)].map(([, tag, id]) => [id, tag] as const)

describe('the elements of the query page', () => {
  it('have the ids and the tags of the map, each once', () => {
    for (const [page, expected] of [
      [WITH_TREE.stranger, ALL],
      [WITH_TREE.known, ALL],
      [WITH_TREE.user, { ...ALL, ...OFFERED }],
      [WITHOUT.stranger, ELEMENTS],
      [WITHOUT.user, { ...ELEMENTS, ...OFFERED }],
    ] as const)
      assert.deepEqual([...elementsIn(page)].sort(), Object.entries(expected).sort())
  })

  it('refer to each other by ids that the page has', () => {
    for (const page of [WITH_TREE, WITHOUT].flatMap(pages => Object.values(pages))) {
      const ids = new Set(elementsIn(page).map(([id]) => id))
      const named = [...page.matchAll(/\s(?:for|aria-(?:controls|labelledby|describedby))="([^"]*)"/g)]
      assert.ok(named.length > 20)
      for (const id of named.flatMap(([, ids = '']) => ids.split(' '))) assert.ok(ids.has(id), id)
    }
  })

  it('speak of no owners and no assessments without a tree', () => {
    for (const page of Object.values(WITHOUT))
      assert.doesNotMatch(page, /assess|entit|ownership|nature|point of view|\bnet\b|gross/i)
  })

  it('are styled by ids that the page has', async () => {
    const style = new URL('../../dist/page/style.css', import.meta.url)
    const selectors = (await readFile(style, 'utf8')).replace(/\{[^{}]*\}/g, '{}')
    for (const [, id = ''] of selectors.matchAll(/#([\w-]+)/g)) assert.ok(id in ALL, id)
  })
})
