import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHost } from '../../examples/node-http.js'

describe('the example of a host on node:http', () => {
  it('answers a query over its own tables', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-example-'))
    const source = join(folder, 'tables')
    await mkdir(source)
    const id = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`
    await writeFile(
      join(source, 'entities.csv'),
      `entity_key,entity_id,parent_key,ownership_share\ngroup,${id('1')},,1\nmill,${id('2')},group,0.5\n`,
    )
    await writeFile(join(source, 'emissions.csv'), 'entity_key,tonnes\ngroup,10\nmill,60\n')
    const host = await startHost(folder, source, 'a-key')
    try {
      const headers = { authorization: 'Bearer a-key' }
      const body = JSON.stringify({ projectId: host.projectId, sql: 'SELECT tonnes FROM fold_emissions' })
      const url = `${host.url}/public/v1/api/projects/query`
      assert.equal((await fetch(url, { method: 'POST', headers: { authorization: 'Bearer other' }, body })).status, 401)
      const answer = await fetch(url, { method: 'POST', headers, body })
      assert.deepEqual(await answer.json(), { result: { items: [{ tonnes: 40 }] } })
    } finally {
      await host.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
