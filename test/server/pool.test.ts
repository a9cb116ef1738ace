import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { sql } from 'kysely'
import { connectPostgres } from '#postgres/store/connections.js'

const POOL = 6

/** Encodes a message of the PostgreSQL protocol, as a server sends it. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5, type)
  head.writeInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

const READY = message('Z', Buffer.from('I'))
const LOGGED_IN = Buffer.concat([message('R', Buffer.alloc(4)), READY])
const DONE = Buffer.concat([message('C', Buffer.from('SELECT 0\0')), READY])

/** Accepts every login. Closes the first `lost` connections at their first statement; answers others without rows. */
class FailingDatabase {
  readonly statements: string[] = []
  #logins = 0
  readonly #server: Server

  constructor(lost: number) {
    this.#server = createServer(socket =>
      this.#serve(
        socket.on('error', () => {}),
        ++this.#logins <= lost,
      ),
    )
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return `postgres://foldgate@127.0.0.1:${(this.#server.address() as AddressInfo).port}/foldgate`
  }

  close(): void {
    this.#server.close()
  }

  #serve(socket: Socket, isLost: boolean): void {
    socket.once('data', () => {
      socket.write(LOGGED_IN)
      socket.on('data', asked => {
        if (String.fromCharCode(asked[0] ?? 0) !== 'Q') return
        this.statements.push(asked.toString('utf8', 5, asked.length - 1))
        if (isLost) socket.destroy()
        else socket.write(DONE)
      })
    })
  }
}

describe('the connections to PostgreSQL', () => {
  it('are returned to the pool if they are lost at their first statement, however often', async () => {
    const database = new FailingDatabase(POOL + 2)
    const db = connectPostgres(await database.listen(), { isDurable: false })
    try {
      for (let time = 0; time < POOL + 2; time++) await assert.rejects(sql`SELECT 1`.execute(db), /terminated/)
      const asked = Array.from({ length: 2 * POOL }, () => sql`SELECT 1`.execute(db))
      for (const { rows } of await Promise.all(asked)) assert.deepEqual(rows, [])
      const answered = database.statements.slice(POOL + 2)
      assert.equal(answered.filter(statement => statement === 'set synchronous_commit = off').length, POOL)
      assert.equal(answered.length, 3 * POOL)
    } finally {
      await db.destroy()
      database.close()
    }
  })
})
