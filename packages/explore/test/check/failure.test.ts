import assert from 'node:assert/strict'
import { createClient } from 'foldgate/client'
import {
  type ClientFailure,
  complaintOf,
  isFailure,
  mayWork,
  messageOf,
  placeOf,
  whenToRetry,
} from '#explore/script/call-failure.js'

/** The failure of a call that is answered so. */
async function failureOf(answer: () => Promise<Response>): Promise<ClientFailure> {
  const client = createClient({ url: 'https://data.example', key: 'fg_key', fetch: answer, retry: false })
  const error: unknown = await client.list().catch(error => error)
  assert.ok(isFailure(error), String(error))
  return error
}

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  failureOf(async () => new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }))

describe('a failure of the API, on the page', () => {
  it('separates the complaint from the place and the hint', async () => {
    const failure = await answer(422, {
      code: 1422,
      class: 'INVALID_QUERY',
      message: 'There is no x (line 2, column 5). Write y.',
      data: { rule: 'x', line: 2, column: 5, hint: 'Write y.' },
    })
    assert.deepEqual([complaintOf(failure), placeOf(failure)], ['There is no x.', { line: 2, column: 5 }])
    assert.equal(messageOf(failure), 'There is no x (line 2, column 5). Write y.')
    const plain = await answer(400, {
      code: 1400,
      class: 'INVALID_PARAMS',
      message: 'Not a UUID.',
      data: { path: 'entityId' },
    })
    assert.deepEqual([complaintOf(plain), placeOf(plain)], ['Not a UUID.', null])
  })

  it('says when to try again if the service says so', async () => {
    const now = new Date(2026, 0, 1, 12, 59, 58)
    const slow = { code: 1429, class: 'RATE_LIMITED', message: 'Slow down.' }
    const limited = await answer(429, slow, { 'Retry-After': '37' })
    assert.equal(whenToRetry(limited, now), 'Try again in 37 seconds, at 13:00:35.')
    const busy = await answer(503, { code: 1503, class: 'UNAVAILABLE', message: 'Busy.' }, { 'Retry-After': '1' })
    assert.equal(whenToRetry(busy, now), 'Try again in 1 second, at 12:59:59.')
    const refused = await answer(422, { code: 1422, class: 'INVALID_QUERY', message: 'No.' })
    assert.deepEqual([whenToRetry(refused, now), mayWork(refused)], [null, false])
  })

  it('has a message when something other than the service answers', async () => {
    for (const body of ['<html>', '[]', '{"class":1}', 'null', '']) {
      const failure = await answer(502, body, { 'Retry-After': '2' })
      assert.deepEqual(
        [complaintOf(failure), mayWork(failure), whenToRetry(failure, new Date(2026, 0, 1))],
        ['The service did not answer as it should (HTTP 502).', true, 'Try again in 2 seconds, at 00:00:02.'],
      )
    }
  })

  it('has a message when nothing answers', async () => {
    const failure = await failureOf(() => Promise.reject(new TypeError('Failed to fetch')))
    assert.deepEqual(
      [messageOf(failure), mayWork(failure)],
      ['The service cannot be reached: check your connection, then try again.', true],
    )
  })
})
