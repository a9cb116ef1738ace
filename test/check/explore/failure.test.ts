import assert from 'node:assert/strict'
import { Failure, failureOf, whenToRetry } from '#server/explore/failure.js'

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  failureOf(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }))

describe('a failure of the API, on the page', () => {
  it('separates the complaint from the place and the hint', async () => {
    const failure = await answer(422, {
      code: 1422,
      class: 'INVALID_QUERY',
      message: 'There is no x (line 2, column 5). Write y.',
      data: { rule: 'x', line: 2, column: 5, hint: 'Write y.' },
    })
    assert.deepEqual([failure.complaint, failure.place], ['There is no x.', { line: 2, column: 5 }])
    const plain = new Failure('INVALID_PARAMS', 'Not a UUID.', { path: 'entityId' })
    assert.deepEqual([plain.complaint, plain.place], ['Not a UUID.', null])
  })

  it('says when to try again if the service says so', async () => {
    const now = new Date(2026, 0, 1, 12, 59, 58)
    const limited = await answer(429, { class: 'RATE_LIMITED', message: 'Slow down.' }, { 'Retry-After': '37' })
    assert.equal(whenToRetry(limited, now), 'Try again in 37 seconds, at 13:00:35.')
    const busy = await answer(503, { class: 'UNAVAILABLE', message: 'Busy.' }, { 'Retry-After': '1' })
    assert.equal(whenToRetry(busy, now), 'Try again in 1 second, at 12:59:59.')
    const refused = await answer(422, { class: 'INVALID_QUERY', message: 'No.' })
    assert.equal(whenToRetry(refused, now), null)
  })

  it('has a message when something other than the service answers', async () => {
    for (const body of ['<html>', '[]', '{"class":1}', 'null', '']) {
      const failure = await answer(502, body)
      assert.deepEqual(
        [failure.class, failure.message],
        ['UNAVAILABLE', 'The service did not answer as it should (HTTP 502).'],
      )
    }
  })
})
