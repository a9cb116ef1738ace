import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { closeAll } from '#server/serving/closing.js'
import { InHand } from '#server/serving/drain.js'

const CALLS = 20

describe('draining', () => {
  it('answers calls on connections that the server has not accepted yet', async () => {
    const server = createServer((_request, response) => response.end())
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const inHand = new InHand(server)
    const { port } = server.address() as AddressInfo
    const sockets = Array.from({ length: CALLS }, () => connect(port, '127.0.0.1'))
    const answers = sockets.map(async socket => {
      await once(socket, 'connect')
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}')
      return (await text(socket)).split('\r\n')[0]
    })
    // By then they are connected, but the event loop has had no turn to accept them.
    await new Promise<void>(resolve => process.nextTick(resolve))
    const [cut, ...lines] = await Promise.all([inHand.drain(undefined, 5000), ...answers])
    assert.equal(cut, 0)
    assert.deepEqual(
      lines,
      sockets.map(() => 'HTTP/1.1 200 OK'),
    )
  })
})

describe('closing', () => {
  it('goes on after a step that fails, and tells the first failure', async () => {
    const done: number[] = []
    const failing = (step: number) => async () => {
      done.push(step)
      throw new Error(`step ${step}`)
    }
    const closers = [() => done.push(1), failing(2), failing(3), () => done.push(4)]
    await assert.rejects(closeAll(closers), /^Error: step 3$/)
    assert.deepEqual(done, [4, 3, 2, 1])
    await closeAll(closers)
    assert.equal(done.length, 4, 'each runs once')
  })
})
