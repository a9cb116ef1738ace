import assert from 'node:assert/strict'
import { AnalyticsClientError, type Client, createClient } from 'foldgate/client'
import { PROJECT, type Service, sharedService } from '../../service/service.js'
import { type Front, startFront, TRANSPORTS } from './front.js'

/** `range` with a value, and columns whose names are whole numbers. */
const SQL =
  'SELECT i AS b, (i * 1.5)::DECIMAL(21, 2) AS "7", DATE \'2026-11-20\' AS "2" FROM range($count) t(i) ORDER BY i'
const COLUMNS = [
  { name: 'b', type: 'BIGINT' },
  { name: '7', type: 'DECIMAL(21,2)' },
  { name: '2', type: 'DATE' },
]
const asked = (count: number) => ({ projectId: PROJECT, sql: SQL, parameters: { count } })

describe('the client, asked for more than rows', () => {
  let service: Service
  let front: Front
  before(async () => {
    service = await sharedService()
    front = await startFront(service.api)
  })
  after(() => front.close())

  for (const [name, transport] of Object.entries(TRANSPORTS))
    describe(`over ${name}`, () => {
      let client: Client
      before(() => {
        client = createClient({ ...front.options, transport })
      })
      after(() => client.close())

      it('has the columns in order with their types, on every page and without rows', async () => {
        for (const count of [3, 0]) {
          const { items, columns, columnNames, ...rest } = await client.query({ ...asked(count), include: ['columns'] })
          assert.equal(items.length, count)
          assert.deepEqual([columns, columnNames], [COLUMNS, ['b', '7', '2']])
          assert.ok(!('total' in rest))
        }
        const page = { limit: 2 }
        const { nextCursor } = await client.query({ ...asked(3), include: ['columns'], page })
        const second = await client.query({ ...asked(3), include: ['columns'], page: { ...page, cursor: nextCursor } })
        assert.deepEqual([second.items, second.columns], [[{ b: 2, 7: 3, 2: '2026-11-20' }], COLUMNS])
      })

      it('has neither columns nor a total that were not asked for', async () => {
        const plain = await client.query(asked(1))
        for (const member of ['columns', 'total', 'relations']) assert.ok(!(member in plain), member)
        const { total, columns } = await client.query({ ...asked(9), include: ['total'], page: { limit: 1 } })
        assert.deepEqual([total, columns], [9, undefined])
      })

      it('knows what a statement would return from a dry run', async () => {
        const sql = 'SELECT amount FROM amounts WHERE item = $item'
        const dry = await client.query({ projectId: PROJECT, sql, parameters: { item: 'land' }, dryRun: true })
        assert.deepEqual(
          [dry.items, dry.columns, dry.columnNames],
          [[], [{ name: 'amount', type: 'DOUBLE' }], ['amount']],
        )
        assert.deepEqual(
          dry.relations.map(({ name }) => name),
          ['amounts'],
        )
        await assert.rejects(client.query({ projectId: PROJECT, sql: 'SELECT nope', dryRun: true }), {
          class: 'INVALID_QUERY',
        })
      })

      it('sends the values with every page of rows', async () => {
        const seen: number[] = []
        for await (const { b } of client.rows<{ b: number }>({ ...asked(7), page: { limit: 3 } })) seen.push(b)
        assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6])
      })

      it('exports with values, and knows the types of the columns of a table', async () => {
        const exported = await client.export({ ...asked(4), include: ['columns'] })
        assert.deepEqual([exported.rows, exported.columns], [4, COLUMNS])
        const typesOf = async (link: Parameters<Client['readTable']>[0]) =>
          (await client.readTable(link)).schema.fields.map(({ metadata }) => metadata.get('foldgate.type'))
        assert.deepEqual(
          await typesOf(exported),
          COLUMNS.map(({ type }) => type),
        )
        assert.deepEqual(await typesOf(exported.url), [undefined, undefined, undefined])
        const { columns: _, ...plain } = await client.export({ ...asked(4), format: 'arrow' })
        assert.deepEqual(await typesOf(plain), [undefined, undefined, undefined])
      })

      it('throws what is wrong with a value, by its path', async () => {
        for (const parameters of [{}, { count: 1, other: 1 }, { count: { type: 'NOPE', value: 1 } }])
          await assert.rejects(client.query({ ...asked(1), parameters }), (error: Error) => {
            assert.ok(error instanceof AnalyticsClientError && error.class === 'INVALID_PARAMS')
            assert.match(error.data.path ?? '', /^parameters\.(count|other)/)
            return true
          })
      })
    })
})
