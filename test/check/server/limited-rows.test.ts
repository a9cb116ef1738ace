import assert from 'node:assert/strict'
import { join } from 'node:path'
import { openStore } from '#server/database/store.js'
import { ask, scratchFolder } from '../../server/command.js'
import { limitedKiosk, writeCatalogue, writeKiosk } from '../../server/kiosk.js'
import { call, serve, stop } from '../../server/server.js'
import { storeAt } from '../../server/stores.js'
import { ADA, cheapHash } from '../pages/site.js'
import { textOf, Visitor } from '../pages/visitor.js'

const scratch = scratchFolder()
const SQL = 'SELECT country, revenue, (SELECT count(*) FROM orders) AS orders FROM revenue ORDER BY country'
const KEN = [{ country: 'KEN', revenue: 30.5, orders: 1 }]
const PER = [{ country: 'PER', revenue: 12, orders: 2 }]

describe('keys with row limits of a server', () => {
  let project: string
  let catalogue: string

  const foldgate = async (...args: string[]) => {
    const { status, stdout, stderr } = await ask(scratch.path, args, { FOLDGATE_CATALOGUE: catalogue })
    assert.equal(status, 0, stderr)
    return stdout.trim()
  }
  const keyOf = (...rows: string[]) =>
    foldgate(
      ...['key', 'create', '--user', ADA.email, '--organization', 'north'],
      ...rows.flatMap(each => ['--only-rows', each]),
    )

  before(async () => {
    catalogue = await writeCatalogue(scratch.path, limitedKiosk())
    await writeKiosk(join(scratch.path, 'tables'))
    await foldgate('organization', 'add', 'north', '--name', 'The North')
    await foldgate('user', 'add', ADA.email, '--organization', 'north')
    project = await foldgate('project', 'add', '--organization', 'north', '--name', 'A shop')
    await foldgate('seal', project, 'tables')
    const store = await openStore(await storeAt(join(scratch.path, 'foldgate-data', 'control.db')))
    const password_hash = cheapHash(ADA.password)
    await store.db.updateTable('users').set({ password_hash }).where('email', '=', ADA.email).execute()
    await store.close()
  })

  it('read the rows of their values, by command and by page', async () => {
    const { url, child } = await serve(scratch.path, '--catalogue', catalogue)
    try {
      const rows = async (key: string) => (await call(url, key, 'query', { projectId: project, sql: SQL })).items
      assert.deepEqual(await rows(await keyOf('country=KEN')), KEN)
      assert.deepEqual(
        await rows(await keyOf('country=PER', 'country=KEN')),
        [...KEN, ...PER].map(row => ({ ...row, orders: 3 })),
      )
      assert.deepEqual(await rows(await keyOf('country=null')), [])
      const visitor = await new Visitor(url).enter(ADA)
      assert.match(textOf((await visitor.get('/')).html), /The limits are country \(VARCHAR\)\./)
      const form = { name: 'Peru', lifetime: '7d', organization: ['north'], rows: 'country=PER' }
      const { location } = await visitor.submit('/', '/keys', form)
      const [key = ''] = /fg_[\w-]+/.exec((await visitor.get(location ?? '')).html) ?? []
      assert.deepEqual(await rows(key), PER)
    } finally {
      await stop(child)
    }
  })

  it('read nothing when the catalogue has lost the limit', async () => {
    const key = await keyOf('country=KEN')
    const { url, child } = await serve(scratch.path, '--catalogue', await writeCatalogue(scratch.path))
    try {
      const answer = await call(url, key, 'query', { projectId: project, sql: SQL })
      assert.deepEqual([answer.status, answer.class, answer.items], [503, 'UNAVAILABLE', []])
    } finally {
      await stop(child)
    }
  })
})
