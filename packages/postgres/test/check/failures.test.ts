import assert from 'node:assert/strict'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { fromPostgres } from 'foldgate-postgres'
import pg from 'pg'
import { postgresUrl } from '../../../../test/server/stores.js'
import { until } from '../../../../test/until.js'
import { rowsOf } from './reading.js'

const PASSWORD = 'pa55-word'
const ROWS = "SELECT generate_series(1, 1000000) AS i, repeat('x', 100) AS text"

/** A message of the protocol of PostgreSQL. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  return `127.0.0.1:${address.port}`
}

/** A database that asks for a password, and takes none. */
function strictServer(): Server {
  return createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(message('R', Buffer.from([0, 0, 0, 3])))
      socket.once('data', () => {
        const fields = ['SFATAL', 'VFATAL', 'C28P01', 'Mpassword authentication failed for user "ada"', '']
        socket.end(message('E', Buffer.from(fields.map(field => `${field}\0`).join(''))))
      })
    })
  })
}

describe('a PostgreSQL that fails', () => {
  let servers: Server[]
  let sockets: Socket[]
  let pools: pg.Pool[]
  beforeEach(() => {
    servers = []
    sockets = []
    pools = []
  })
  afterEach(async () => {
    for (const pool of pools) await pool.end()
    for (const socket of sockets) socket.destroy()
    for (const server of servers) server.close()
  })

  const poolOf = (options: pg.PoolConfig) => {
    const pool = new pg.Pool(options)
    pools.push(pool)
    return pool
  }
  const serve = (server: Server) => {
    servers.push(server.on('connection', socket => sockets.push(socket)))
    return listening(server)
  }
  /** The database behind a proxy, which calls `then` for a connection that has delivered so many bytes. */
  const behindProxy = async (after: number, then: (cut: () => void, pause: () => void) => void) => {
    const { hostname, port, username, pathname } = new URL(postgresUrl ?? '')
    const place = await serve(
      createServer(near => {
        const far = connect(Number(port), hostname)
        sockets.push(far)
        for (const socket of [near, far]) socket.on('error', () => {})
        near.on('data', chunk => far.write(chunk)).on('close', () => far.destroy())
        let left = after
        far.on('data', chunk => {
          near.write(chunk)
          left -= chunk.length
          if (left < 0)
            then(
              () => near.end() && far.destroy(),
              () => far.pause(),
            )
        })
      }),
    )
    return poolOf({ connectionString: `postgres://${username}:${PASSWORD}@${place}${pathname}`, max: 1 })
  }
  const refused = async (pool: pg.Pool, told: RegExp) => {
    await assert.rejects(rowsOf(pool, ROWS), (error: Error) => {
      assert.match(error.message, told)
      assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(PASSWORD))
      return true
    })
    assert.deepEqual([pool.totalCount, pool.idleCount, pool.waitingCount], [0, 0, 0])
  }

  it('cannot be reached', async () => {
    const server = createServer()
    const place = await serve(server)
    server.close()
    await refused(
      poolOf({ connectionString: `postgres://ada:${PASSWORD}@${place}/shop` }),
      /^PostgreSQL cannot be reached: ECONNREFUSED$/,
    )
  })

  it('is at a place that is none', async () => {
    await refused(
      poolOf({ connectionString: `postgres://ada:${PASSWORD}@local host:x/shop` }),
      /^PostgreSQL cannot be reached: /,
    )
  })

  it('takes another password', async () => {
    const connectionString = `postgres://ada:${PASSWORD}@${await serve(strictServer())}/shop`
    await refused(
      poolOf({ connectionString }),
      /^PostgreSQL refuses: password authentication failed for user "ada" \(28P01\)$/,
    )
  })

  it('has no such database', async () => {
    const url = new URL(postgresUrl ?? '')
    url.password = PASSWORD
    url.pathname = '/foldgate_missing'
    await refused(
      poolOf({ connectionString: url.href }),
      /^PostgreSQL refuses: database "foldgate_missing" does not exist \(3D000\)$/,
    )
  })

  it('answers nothing', async () => {
    const connectionString = `postgres://ada:${PASSWORD}@${await serve(createServer())}/shop`
    await refused(
      poolOf({ connectionString, connectionTimeoutMillis: 100 }),
      /^PostgreSQL cannot be reached: .*timeout/,
    )
  })

  it('closes the connection amid rows', async () => {
    const pool = await behindProxy(20_000_000, cut => cut())
    await refused(pool, /^The connection to PostgreSQL was lost: Connection terminated unexpectedly$/)
  })

  it('sends no more rows, until nobody waits for them', async () => {
    let isPaused = false
    const pool = await behindProxy(20_000_000, (_cut, pause) => {
      isPaused = true
      pause()
    })
    const abort = new AbortController()
    const source = fromPostgres(pool, ROWS)
    const session = await source.session?.begin(abort.signal)
    const { chunks } = await source.read({ table: 'rows', columns: null, session, signal: abort.signal })
    const reading = (async () => {
      for await (const _ of chunks);
    })()
    await until(() => isPaused, 'the rows to stop')
    const reason = new Error('no longer wanted')
    abort.abort(reason)
    await assert.rejects(reading, reason)
    await source.session?.end(session, true)
    await until(() => pool.totalCount === 0, 'the connection to be closed')
  })
})
