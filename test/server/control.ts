import { join } from 'node:path'
import { openStore, type Store } from '#server/database/store.js'
import { addOrganization } from '#server/store/organizations.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from './command.js'
import { storeAt } from './stores.js'

/** A new control store for each test of a suite. */
export class ControlStore {
  /** Location of the store: a file, or a URL. */
  file = ''
  /** Time of the store's clock. */
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

  /** Folder of the tests' files, including those of the store. */
  get folder(): string {
    return this.#scratch.path
  }

  /** Prefix of the names of the store's files. */
  get name(): string {
    return `${this.#opened}.db`
  }

  get store(): Store {
    if (!this.#store) throw new Error('the store is opened before each test')
    return this.#store
  }

  /** Closes and reopens the store. */
  async reopen(): Promise<void> {
    await this.store.close()
    this.#store = await openStore(this.file)
  }

  async addOrganizations(...keys: string[]): Promise<void> {
    for (const key of keys) await addOrganization(this.store, { key, name: `The ${key}` })
  }

  /** Adds the user Ada, who reads these organizations. */
  async addAda(...organizations: string[]): Promise<void> {
    await this.addOrganizations(...organizations)
    await addUser(this.store, { email: 'ada@example.org', organizations })
  }
}
