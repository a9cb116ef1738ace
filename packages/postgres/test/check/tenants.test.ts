import assert from 'node:assert/strict'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { openSealer, type Sealer, type SealManyRequest, type TableSource } from 'foldgate/sealing'
import { fromPostgres } from 'foldgate-postgres'
import pg from 'pg'
import { scratchFolder } from '../../../../test/server/command.js'
import { postgresUrl } from '../../../../test/server/stores.js'

const TABLE = 'foldgate_tenants'
const ROWS = `SELECT tenant, id, total FROM ${TABLE} ORDER BY id DESC -- the newest first`
const VERSION = `SELECT tenant, max(changed), count(*) FROM ${TABLE} GROUP BY tenant`
const KEYS = Array.from({ length: 40 }, (_, at) => `${at + 1}`)
const PROJECTS = new Map(KEYS.map(key => [key, `7b0f0c52-5c3b-4a64-8a2f-0d5f3e9${key.padStart(5, '0')}`]))

describe('many tenants of a table of PostgreSQL', () => {
  const scratch = scratchFolder()
  let pool: pg.Pool
  let sealer: Sealer
  /** The first values of the rows that were sent. */
  let sent: string[]

  before(async function () {
    if (!postgresUrl) return this.skip()
    pool = new pg.Pool({ connectionString: postgresUrl })
    const orders = { name: 'orders', columns: { id: 'BIGINT', total: 'INTEGER' }, unique: ['id'] }
    const catalogue = defineCatalogue({ relations: [defineTable(orders)] })
    const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    sealer = await openSealer({ catalogue, snapshots, folder: join(scratch.path, 'scratch') })
  })
  after(async () => {
    await sealer?.close()
    await pool?.query(`DROP TABLE IF EXISTS ${TABLE}`)
    await pool?.end()
  })

  /** A source of which the rows that are sent are counted. */
  const counted = (source: TableSource): TableSource => ({
    ...source,
    async read(request) {
      const rows = await source.read(request)
      const chunks = async function* () {
        const gathered: Uint8Array[] = []
        for await (const chunk of rows.chunks) {
          gathered.push(chunk)
          yield chunk
        }
        const [, ...lines] = Buffer.concat(gathered).toString().trimEnd().split('\n')
        sent.push(...lines.map(line => line.split(',')[0] ?? ''))
      }
      return { ...rows, chunks: chunks() }
    },
  })
  const sealMany = async (more: Partial<SealManyRequest> = {}, statement = ROWS) => {
    sent = []
    const orders = counted(fromPostgres(pool, statement, { version: VERSION, isOrdered: true }))
    const { sealed, ...rest } = await sealer.sealMany({ tables: { orders }, by: 'tenant', projects: PROJECTS, ...more })
    const changed = sealed.flatMap(({ key, unchanged }) => (unchanged ? [] : [key]))
    return { ...rest, sealed, changed }
  }
  const fill = async (type: string, value = 'tenant') => {
    await pool.query(`DROP TABLE IF EXISTS ${TABLE}`)
    await pool.query(`CREATE TABLE ${TABLE} (tenant ${type}, id bigint, total integer, changed integer)`)
    await pool.query(
      `INSERT INTO ${TABLE} SELECT ${value}, id, 10, 1 FROM generate_series(1, 40) AS tenant, generate_series(1, 5) AS id`,
    )
    await pool.query(`CREATE INDEX ON ${TABLE} (tenant)`)
  }

  it('are sent for the one of forty that has changed alone, in their order', async () => {
    await fill('integer')
    assert.equal((await sealMany()).changed.length, 40)
    assert.equal(sent.length, 200)
    assert.deepEqual([(await sealMany()).sealed.length, sent], [40, []])
    await pool.query(`UPDATE ${TABLE} SET total = id, changed = 2 WHERE tenant = 7 AND id > 2`)
    const { changed, sealed, failed, empty } = await sealMany()
    assert.deepEqual([changed, sealed.length, failed, empty, sent], [['7'], 40, [], [], Array(5).fill('7')])
    await pool.query(`INSERT INTO ${TABLE} VALUES (41, 1, 1, 1), (NULL, 2, 1, 1)`)
    const { strays } = await sealMany()
    assert.deepEqual([strays.map(({ key }) => key).sort(), sent.sort()], [['41', null].sort(), ['', '41']])
    await pool.query(`DELETE FROM ${TABLE} WHERE tenant IS NULL OR tenant IN (9, 41)`)
    assert.deepEqual([(await sealMany()).empty.map(({ key }) => key), sent], [['9'], []])
    assert.deepEqual([(await sealMany({}, `${ROWS}\n`)).changed, sent], [[], []])
    assert.equal((await sealMany({}, `SELECT tenant, id, total FROM ${TABLE}`)).sealed.length, 39)
    assert.equal(sent.length, 195, 'another statement is read')
  })

  const uuid = "('00000000-0000-4000-8000-0000000000' || lpad(tenant::text, 2, '0'))::uuid"
  for (const [type, value, keyOf] of [
    ['bigint', '9223372036854775767 + tenant', (key: string) => `${9223372036854775767n + BigInt(key)}`],
    ['uuid', uuid, (key: string) => `00000000-0000-4000-8000-0000000000${key.padStart(2, '0')}`],
    ['varchar(20)', `'it''s \\ ' || tenant`, (key: string) => `it's \\ ${key}`],
    ['char(20)', `'of ' || tenant`, (key: string) => `of ${key}`],
    ['numeric', 'tenant + 0.50', (key: string) => `${key}.50`],
    [
      'date',
      "date '2025-12-31' + tenant",
      (key: string) => new Date(Date.UTC(2026, 0, +key)).toISOString().slice(0, 10),
    ],
  ] as const)
    it(`are told apart by a column of ${type}`, async () => {
      await fill(type, value)
      const projects = new Map([...PROJECTS].map(([key, projectId]) => [keyOf(key), projectId]))
      assert.equal((await sealMany({ projects })).sealed.length, 40)
      assert.deepEqual([(await sealMany({ projects })).changed, sent.length], [[], type === 'char(20)' ? 200 : 0])
      await pool.query(`UPDATE ${TABLE} SET total = 7, changed = 2 WHERE concat(tenant::text) = $1`, [keyOf('7')])
      const { changed, sealed } = await sealMany({
        projects: new Map([...projects, ["no'ne\\", `${PROJECTS.get('1')?.slice(0, -5)}99999`]]),
      })
      assert.deepEqual([changed, sealed.length], [[keyOf('7')], 40])
      if (type !== 'char(20)') assert.equal(sent.length, 5)
    })

  it('have one version when it does not select their column', async () => {
    await fill('integer')
    const whole = () => ({
      orders: counted(fromPostgres(pool, ROWS, { version: `SELECT max(changed) FROM ${TABLE}` })),
    })
    await sealMany({ tables: whole() })
    assert.deepEqual([(await sealMany({ tables: whole() })).changed, sent], [[], []])
    await pool.query(`UPDATE ${TABLE} SET total = 7, changed = 2 WHERE tenant = 7`)
    assert.deepEqual([(await sealMany({ tables: whole() })).changed, sent.length], [['7'], 200])
  })
})
