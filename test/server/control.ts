import { join } from 'node:path'
import { addOrganization } from '#server/store/organizations.js'
import { openStore, type Store } from '#server/store/store.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from './command.js'
import { storeAt } from './stores.js'

/** A control store of its own for each test of a suite. */
export class ControlStore {
  /** Where it is: a file, or a database. */
  file = ''
  /** Its clock. */
  now = 0
  readonly #scratch = scratchFolder()
  #opened = 0
  #store: Store | undefined

  constructor() {
    beforeEach(async () => {
      this.now = Date.UTC(2026, 10, 1)
      this.file = await storeAt(join(this.folder, `${++this.#opened}.db`))
      this.#store = await openStore(this.file, { clock: { now: () => this.now } })
    })
    afterEach(() => this.store.close())
  }

  /** Where files of the tests lie, those of the store among them. */
  get folder(): string {
    return this.#scratch.path
  }

  /** Beginning of the names of its files. */
  get name(): string {
    return `${this.#opened}.db`
  }

  get store(): Store {
    if (!this.#store) throw new Error('the store is opened before each test')
    return this.#store
  }

  /** Closes it and opens it again. */
  async reopen(): Promise<void> {
    await this.store.close()
    this.#store = await openStore(this.file)
  }

  async addOrganizations(...keys: string[]): Promise<void> {
    for (const key of keys) await addOrganization(this.store, { key, name: `The ${key}` })
  }

  /** Ada, who reads these organizations. */
  async addAda(...organizations: string[]): Promise<void> {
    await this.addOrganizations(...organizations)
    await addUser(this.store, { email: 'ada@example.org', organizations })
  }
}
