import assert from 'node:assert/strict'
import { join } from 'node:path'
import { scratchFolder } from '../../server/command.js'
import { PROJECT_IDS, writePackage } from '../../server/package.js'
import { call } from '../../server/server.js'
import { postgresUrl, storeInPostgres } from '../../server/stores.js'
import { Service } from './service.js'

const { early, late } = PROJECT_IDS
const SQL = 'SELECT entity_key FROM entities ORDER BY 1'
const scratch = scratchFolder()

describe('what is removed while several servers run', () => {
  let service: Service

  before(async function () {
    if (!postgresUrl) this.skip()
    service = new Service(scratch.path, await storeInPostgres(join(scratch.path, 'store')))
    await writePackage(join(scratch.path, 'package'))
    await service.command('import', 'package')
    for (const name of ['one', 'two']) await service.start(name)
  })
  after(() => service?.killAll())

  async function addUser(email: string): Promise<string> {
    const both = ['--organization', 'north', '--organization', 'south']
    await service.command('user', 'add', email, ...both)
    return service.command('key', 'create', '--user', email, ...both)
  }
  /** What each server answers. */
  const query = (key: string, projectId: string) =>
    Promise.all(
      service.urls.map(async url => {
        const answer = await call(url, key, 'query', { projectId, sql: SQL })
        return answer.class ?? answer.items.length
      }),
    )

  it('ends on each of them with the next call, and nothing else does', async () => {
    const [ada, bob] = [await addUser('ada@example.org'), await addUser('bob@example.org')]
    for (const key of [ada, bob]) assert.deepEqual(await query(key, late), [2, 2])
    await service.command('user', 'suspend', 'ada@example.org')
    assert.deepEqual(await query(ada, late), ['UNAUTHENTICATED', 'UNAUTHENTICATED'])
    await service.command('user', 'resume', 'ada@example.org')
    assert.deepEqual(await query(ada, late), [2, 2])
    const { link = '' } = await call(service.urls[0] ?? '', ada, 'export', { projectId: late, sql: SQL })
    assert.equal((await service.download(ada, link)).status, 200)
    await service.command('project', 'remove', late, '--yes')
    assert.deepEqual(await query(ada, late), ['FORBIDDEN', 'FORBIDDEN'])
    for (const _ of service.urls) assert.equal((await service.download(ada, link)).status, 404)
    await service.command('user', 'remove', 'ada@example.org', '--yes')
    assert.deepEqual(await query(ada, early), ['UNAUTHENTICATED', 'UNAUTHENTICATED'])
    assert.deepEqual(await query(bob, early), [2, 2])
    await service.command('organization', 'remove', 'south', '--yes')
    assert.deepEqual(await query(bob, early), ['FORBIDDEN', 'FORBIDDEN'])
    for (const name of ['one', 'two']) assert.doesNotMatch(service.logOf(name), /is missing|"background"|"fault"/)
  })
})
