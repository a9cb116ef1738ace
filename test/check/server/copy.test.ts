import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { openStore, type Store } from '#server/database/store.js'
import { ask, output, scratchFolder } from '../../server/command.js'
import { isEmbedded } from '../../server/stores.js'

const scratch = scratchFolder()

/** Adds two organizations per transaction, one transaction after the other, until it is stopped. */
class Writer {
  committed = 0
  #isStopped = false
  readonly #commits = new EventEmitter()
  readonly #writing: Promise<void>

  constructor(store: Store) {
    this.#writing = this.#write(store)
  }

  async nextCommit(): Promise<void> {
    await Promise.race([once(this.#commits, 'commit'), this.#writing])
  }

  stop(): Promise<void> {
    this.#isStopped = true
    return this.#writing
  }

  async #write(store: Store): Promise<void> {
    while (!this.#isStopped) {
      await store.transaction(async within => {
        const rows = ['a', 'b'].map(half => ({ key: `${half}-${this.committed}`, name: half, created_at: 0 }))
        for (const row of rows) await within.db.insertInto('organizations').values(row).execute()
      })
      this.committed += 1
      this.#commits.emit('commit')
      await setImmediate() // the synchronous driver would block other tasks
    }
  }
}

describe('a copy of the embedded store', () => {
  before(function () {
    if (!isEmbedded) this.skip()
  })

  it('is consistent while others write', async () => {
    const data = ['--data', join(scratch.path, 'busy')]
    await output(scratch.path, 'organization', 'add', 'first', '--name', 'First', ...data)
    const store = await openStore(join(scratch.path, 'busy', 'control.db'))
    const writer = new Writer(store)
    try {
      for (let copy = 1; copy <= 3; copy++) {
        await writer.nextCommit()
        const { committed } = writer
        const file = join(scratch.path, `copy-${copy}.db`)
        assert.equal(await output(scratch.path, 'store', 'copy', file, ...data), file)
        const copied = await openStore(file)
        const { keys } = await copied.db
          .selectFrom('organizations')
          .select(({ fn }) => fn.countAll<number>().as('keys'))
          .executeTakeFirstOrThrow()
        await copied.close()
        assert.ok(keys >= 1 + 2 * committed, 'what was committed before is missing')
        assert.equal(keys % 2, 1, 'half of a transaction')
      }
    } finally {
      await writer.stop()
      await store.close()
    }
  })

  it('is refused if the file exists or cannot be written', async () => {
    const data = ['--data', join(scratch.path, 'busy')]
    await writeFile(join(scratch.path, 'there.db'), '')
    for (const [args, message] of [
      [['there.db', ...data], /^error: The file "there\.db" already exists: name another\n$/],
      [['nowhere/copy.db', ...data], /^error: The file "nowhere\/copy\.db" cannot be written: name one in a folder/],
    ] as const) {
      const { status, stderr } = await ask(scratch.path, ['store', 'copy', ...args])
      assert.equal(status, 1)
      assert.match(stderr, message)
    }
  })
})
