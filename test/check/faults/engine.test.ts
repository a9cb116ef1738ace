import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineFold } from 'foldgate'
import { catalogue } from '../../service/catalogue.js'
import { type Answer, PROJECT, type Service, startService } from '../../service/service.js'
import { appears } from './appears.js'

const SLOW = defineFold({
  name: 'slow',
  about: 'Takes seconds to build.',
  reads: [],
  sql: 'SELECT count(*) AS n FROM range(1000000000)',
})
/** Takes seconds to write. */
const LONG = 'SELECT md5(i::VARCHAR) AS a FROM range(20000000) t(i)'

describe('an engine process that is killed', () => {
  let service: Service
  before(async () => {
    const { hierarchy, relations, examples } = catalogue
    service = await startService({
      catalogue: defineCatalogue({ hierarchy, examples, relations: [...relations.values(), SLOW] }),
      engine: { connections: 2 },
    })
  })
  after(() => service.close())

  const ask = (method: string, sql: string) => service.call(`projects/${method}`, { projectId: PROJECT, sql })
  const kill = () => {
    for (const pid of service.api.pids()) process.kill(pid, 'SIGKILL')
  }
  /** Repeats a call while it is UNAVAILABLE, 100 times at most. */
  async function answered(method: string, sql: string): Promise<Answer> {
    let answer = await ask(method, sql)
    for (let attempt = 0; answer.body.class === 'UNAVAILABLE' && attempt < 100; attempt++)
      answer = await ask(method, sql)
    return answer
  }

  it('while it builds: another process builds; after a second kill UNAVAILABLE, and a retry succeeds', async () => {
    const folder = join(service.folder, 'engine', 'cache', PROJECT)
    const scratch = join(service.folder, 'engine', 'scratch')
    const asked = ask('query', 'FROM slow')
    const begun = await appears(scratch, name => name.endsWith('.tmp'))
    kill()
    await appears(scratch, name => name.endsWith('.tmp') && name !== begun)
    kill()
    const { status, body } = await asked
    assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
    assert.deepEqual((await answered('query', 'FROM slow')).body.result?.items, [{ n: 1_000_000_000 }])
    const left = await readdir(folder, { recursive: true })
    assert.deepEqual(
      left.filter(name => name.endsWith('.tmp')),
      [],
    )
  })

  it('while it exports, twice: that call is UNAVAILABLE, its files are removed, and the next export succeeds', async () => {
    const asked = ask('export', LONG)
    const scratch = join(service.folder, 'engine', 'scratch')
    const begun = await appears(scratch, name => name.endsWith('.parquet'))
    kill()
    await appears(scratch, name => name.endsWith('.parquet') && name !== begun)
    kill()
    const { status, body } = await asked
    assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
    assert.equal((await answered('export', 'SELECT 1 AS one')).body.result?.rows, 1)
    const left = await readdir(join(service.folder, 'engine'), { recursive: true })
    assert.deepEqual(
      left.filter(name => name.endsWith('.parquet')),
      [],
    )
    assert.equal((await readdir(join(service.folder, 'exports'))).length, 1)
  })
})
