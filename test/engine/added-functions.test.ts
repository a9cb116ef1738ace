import assert from 'node:assert/strict'
import { PROJECT, startService } from '../service/service.js'

const SQL = "SELECT decode(encode('é')) AS a, struct_position(row(5, 7), 7) AS b"

describe('functions that a host adds', () => {
  it('are called by queries of its service', async () => {
    const service = await startService({ engine: { guard: { functions: ['decode', 'struct_position'] } } })
    try {
      const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql: SQL })
      assert.deepEqual([status, body.result?.items ?? body], [200, [{ a: 'é', b: 2 }]])
    } finally {
      await service.close()
    }
  })

  it('are refused by a service without them, with what to write instead', async () => {
    const service = await startService({ engine: { guard: {} } })
    try {
      const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql: SQL })
      assert.deepEqual([status, body.class, body.data?.name], [422, 'INVALID_QUERY', 'decode'])
      assert.match(
        body.message ?? '',
        /"decode" is not available: this service leaves it out .* Store strings as VARCHAR/,
      )
    } finally {
      await service.close()
    }
  })
})
