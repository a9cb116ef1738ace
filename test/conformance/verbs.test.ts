import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { KEYS, type Service, sharedService } from '../service/service.js'

const PROBE = 'seen-by-nobody-else'

interface RawAnswer {
  status: number
  allow: string | undefined
  /** The answer as it came, with its head. */
  whole: string
  body: string
}

describe('verbs other than POST', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  /** Sends a request without a body and reads the whole answer; fetch cannot send TRACE. */
  async function ask(verb: string, path: string, key: string | null): Promise<RawAnswer> {
    const { hostname, port, host } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    const authorization = key === null ? [] : [`Authorization: Bearer ${key}`]
    const head = [`${verb} ${path} HTTP/1.1`, `Host: ${host}`, ...authorization, `X-Probe: ${PROBE}`]
    socket.write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n`)
    const whole = await text(socket)
    const [start = '', body = ''] = whole.split('\r\n\r\n')
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(start)?.[1])
    return { status, allow: /^allow: (.*)$/im.exec(start)?.[1]?.trim(), whole, body }
  }

  const entries = [
    {
      path: '/public/v1/json-rpc',
      status: 405,
      unknown: 405,
      read: (body: string) => JSON.parse(body).error.data.class,
    },
    { path: '/public/v1/api/projects/list', status: 400, unknown: 401, read: (body: string) => JSON.parse(body).class },
  ]
  for (const { path, status, unknown, read } of entries)
    for (const verb of ['GET', 'HEAD', 'TRACE', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])
      it(`${verb} ${path} is refused, and repeats nothing of the request`, async () => {
        for (const key of [KEYS.north, null]) {
          const { whole, body, ...answer } = await ask(verb, path, key)
          assert.equal(answer.status, key === null ? unknown : status)
          assert.equal(answer.allow, 'POST')
          if (verb === 'HEAD') assert.equal(body, '')
          else assert.equal(read(body), key === null ? 'UNAUTHENTICATED' : 'INVALID_REQUEST')
          for (const secret of [KEYS.north, PROBE]) assert.ok(!whole.includes(secret), whole)
        }
      })
})
