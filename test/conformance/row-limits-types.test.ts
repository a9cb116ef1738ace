import assert from 'node:assert/strict'
import { type Catalogue, defineCatalogue, defineTable } from 'foldgate'
import { startLimited } from '../service/limited.js'
import { PROJECT } from '../service/service.js'

describe('values of row limits', () => {
  it('are compared with columns of their type alone, and see nothing through a table that is not there', async () => {
    const files = { 'staff.csv': 'department,room\n17,\n16.5,\n017,\n18,\n' }
    const define = (type: string, rowLimits: { department: string | { through: string } } | 'none') =>
      defineCatalogue({
        rowLimits: { department: { type: 'BIGINT' } },
        relations: [
          defineTable({ name: 'rooms', optional: true, rowLimits: { department: 'department' } }),
          defineTable({
            name: 'staff',
            columns: { department: type, room: 'BIGINT' },
            references: { room: 'rooms.room' },
            rowLimits,
          }),
        ],
      })
    const ask = async (catalogue: Catalogue) => {
      const served = await startLimited({ catalogue, sealedAs: define('VARCHAR', 'none'), files })
      try {
        const params = { projectId: PROJECT, sql: 'SELECT department FROM staff' }
        const { body } = await served.service.call(
          'projects/query',
          params,
          served.limited({ rows: { department: [17] } }),
        )
        const told = served.service.events.flatMap(event => (event.type === 'dependency' ? [String(event.cause)] : []))
        return [body.class ?? body.result?.items, told.join()]
      } finally {
        await served.close()
      }
    }
    const [outcome, told] = await ask(define('BIGINT', { department: 'department' }))
    assert.equal(outcome, 'UNAVAILABLE')
    assert.match(String(told), /the column "department" of the table "staff" does not have the type/)
    assert.deepEqual(await ask(define('VARCHAR', { department: { through: 'room' } })), [[], ''])
  })
})
