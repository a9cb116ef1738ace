import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { readFromRoot } from '../../house/documents.js'
import { ask, postgresUrl } from '../../server/stores.js'
import { until } from '../../until.js'

/** The role that the host has: a password in its URL, which no log may have, and rights to read. */
export const PASSWORD = 'never-told'

/** Waits for a state of the database that another session brings about. */
const WAITING = `SELECT pid FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event_type = 'Lock' AND backend_type = 'client backend'`

/** A database of its own with the schema of the example, and so many of its tenants. */
export class Vendor {
  readonly #name: string
  readonly #client: pg.Client
  /** The session that keeps a table from being read. */
  #holder: pg.Client | null = null

  private constructor(name: string, client: pg.Client) {
    this.#name = name
    this.#client = client
  }

  static async open(tenants = 40): Promise<Vendor> {
    const name = `refresh_${randomUUID().replaceAll('-', '')}`
    await ask(`CREATE DATABASE ${name}`)
    await ask(`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}'`)
    const client = new pg.Client({ connectionString: urlOf(name) })
    await client.connect()
    await client.query(await readFromRoot('examples/refresh/schema.sql'))
    for (const table of ['order_lines', 'orders', 'customers', 'tenants'])
      await client.query(`DELETE FROM shop.${table} WHERE tenant_id > ${tenants}`)
    await client.query(`GRANT USAGE ON SCHEMA shop TO ${name}; GRANT SELECT ON ALL TABLES IN SCHEMA shop TO ${name}`)
    return new Vendor(name, client)
  }

  /** The URL of the host, perhaps by way of another port. */
  url(port?: number): string {
    const url = new URL(urlOf(this.#name))
    Object.assign(url, { username: this.#name, password: PASSWORD, ...(port ? { port: String(port) } : {}) })
    return url.href
  }

  get role(): string {
    return this.#name
  }

  async ask(statement: string): Promise<Record<string, unknown>[]> {
    return (await this.#client.query(statement)).rows
  }

  /** Keeps everybody from reading the lines of orders. */
  async hold(): Promise<void> {
    this.#holder = new pg.Client({ connectionString: urlOf(this.#name) })
    await this.#holder.connect()
    await this.#holder.query('BEGIN')
    await this.#holder.query('LOCK TABLE shop.order_lines IN ACCESS EXCLUSIVE MODE')
  }

  async letGo(): Promise<void> {
    await this.#holder?.end()
    this.#holder = null
  }

  /** Resolves with the id of the session that waits for what is held. */
  waiting(): Promise<number> {
    return until(async () => (await this.ask(WAITING))[0]?.pid as number | undefined, 'a session that waits')
  }

  /** The sessions of the host. */
  async sessions(): Promise<number> {
    const [row] = await this.ask(`SELECT count(*)::integer AS n FROM pg_stat_activity WHERE usename = '${this.#name}'`)
    return row?.n as number
  }

  async close(): Promise<void> {
    await this.letGo()
    await this.#client.end()
    await ask(`DROP DATABASE ${this.#name} WITH (FORCE)`)
    await ask(`DROP ROLE ${this.#name}`)
  }
}

function urlOf(database: string): string {
  const url = new URL(postgresUrl ?? '')
  url.pathname = `/${database}`
  return url.href
}
