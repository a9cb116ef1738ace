import assert from 'node:assert/strict'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots, type TableDefinition } from 'foldgate'
import { openStore, type Store } from '#server/database/store.js'
import { dbOf } from '#webhooks/tables.js'
import { ask, outputJson, scratchFolder } from '../../server/command.js'
import { KIOSK, kiosk, writeCatalogue, writeKiosk } from '../../server/kiosk.js'
import { linesOf } from '../../server/log.js'
import { call, type Served, serve, stop } from '../../server/server.js'
import { storeAt } from '../../server/stores.js'
import { cheapHash } from '../pages/site.js'
import { Visitor } from '../pages/visitor.js'

const scratch = scratchFolder()
/** Words that nobody who runs or queries a shop should read. */
const STRANGE = /assess|entit|ownership|nature|\bnet\b|gross|point.of.view/i
const ADA = { email: 'ada@example.org', password: 'correct horse' }

describe('a server over a catalogue without a tree', () => {
  let catalogue: string
  let project: string
  let key: string
  let store: Store
  let served: Served
  const said: string[] = []

  /** Runs a command with the catalogue in the environment. */
  const foldgate = async (...args: string[]) => {
    const { status, stdout, stderr } = await ask(scratch.path, args, { FOLDGATE_CATALOGUE: catalogue })
    said.push(`${args.join(' ')}: ${stdout}${stderr}`)
    assert.equal(status, 0, said.at(-1))
    return stdout.trim()
  }
  const refused = async (...args: string[]) => {
    const { status, stdout, stderr } = await ask(scratch.path, args, { FOLDGATE_CATALOGUE: catalogue })
    assert.deepEqual([status, stdout], [1, ''])
    return stderr
  }
  const events = async () => {
    const rows = await dbOf(store).selectFrom('webhook_deliveries').select(['event', 'body']).execute()
    return rows.map(({ event, body }) => ({ event, body }))
  }

  before(async () => {
    catalogue = await writeCatalogue(scratch.path)
    await writeKiosk(join(scratch.path, 'tables'))
    await foldgate('organization', 'add', 'north', '--name', 'The North')
    await foldgate('user', 'add', ADA.email, '--organization', 'north')
    project = await foldgate('project', 'add', '--organization', 'north', '--name', 'A shop')
    key = await foldgate('key', 'create', '--user', ADA.email, '--organization', 'north')
    store = await openStore(await storeAt(join(scratch.path, 'foldgate-data', 'control.db')))
    const password_hash = cheapHash(ADA.password)
    await store.db.updateTable('users').set({ password_hash }).where('email', '=', ADA.email).execute()
    served = await serve(scratch.path, '--catalogue', catalogue)
  })
  after(async () => {
    await stop(served.child)
    await store.close()
  })

  it('tells webhooks of snapshots and of nothing else that happens to a project', async () => {
    const hook = 'https://hooks.example.org/'
    const [id] = (await foldgate('webhook', 'add', ADA.email, hook, '--organization', 'north')).split('\n')
    await writeKiosk(join(scratch.path, 'other'), { 'orders.csv': KIOSK['orders.csv'].replace('30.50', '31.50') })
    await foldgate('seal', project, 'other')
    await foldgate('seal', project, 'tables')
    const told = await events()
    assert.deepEqual(
      told.map(({ event }) => event),
      ['snapshot.sealed', 'snapshot.sealed'],
    )
    for (const { body } of told) assert.doesNotMatch(body, STRANGE)
    assert.match(
      await refused('webhook', 'add', ADA.email, hook, '--organization', 'north', '--event', 'assessment.completed'),
      /There is no event "assessment\.completed": choose from snapshot\.sealed, key\.revoked\n$/,
    )
    const started = await foldgate('assessment', 'start', project)
    await foldgate('assessment', 'complete', started, '--without-snapshot')
    said.splice(-2) // who runs these commands knows what they are
    assert.equal((await events()).length, 2)
    await foldgate('webhook', 'remove', id ?? '', '--yes')
  })

  it('answers calls from the snapshot that was sealed', async () => {
    const { items } = await call(served.url, key, 'query', { projectId: project, sql: 'SELECT * FROM revenue' })
    assert.deepEqual(items, [
      { country: 'KEN', revenue: 30.5 },
      { country: 'PER', revenue: 12 },
    ])
  })

  it('shows pages without the words of assessed projects', async () => {
    const visitor = await new Visitor(served.url).enter(ADA)
    const pages = ['/', '/explore', '/webhooks', '/password']
    const shown = await Promise.all([
      ...pages.map(path => visitor.get(path)),
      new Visitor(served.url).get('/explore'),
      visitor.submit('/webhooks', '/webhooks', { url: 'ftp://x', event: 'assessment.completed' }),
    ])
    assert.deepEqual(
      shown.map(({ status }) => status),
      [200, 200, 200, 200, 200, 422],
    )
    for (const { html } of shown) assert.doesNotMatch(html, STRANGE)
    assert.match(shown[1]?.html ?? '', /Ask your data anything/)
    assert.match(shown[1]?.html ?? '', /data-not-computed="without data"/)
    assert.match(shown[2]?.html ?? '', /New data of a project can be read <code>snapshot\.sealed<\/code>/)
  })

  it('keeps choosing only events that there are, though a form names another', async () => {
    const visitor = await new Visitor(served.url).enter(ADA)
    const fields = { url: 'https://hooks.example.org/', organization: 'north' }
    const other = await visitor.submit('/webhooks', '/webhooks', { ...fields, event: 'assessment.completed' })
    assert.equal(other.status, 422)
    assert.match(other.html, /Choose at least one event/)
  })

  it('imports a package whose tables have the key of the project in every row', async () => {
    const ids = ['0d000000-0000-4000-8000-000000000001', '0d000000-0000-4000-8000-000000000002']
    const registers = {
      'organizations.csv': 'organization_key,name\nsouth,The South\n',
      'projects.csv': `project_key,project_id,organization_key,name,state,created_at
a,${ids[0]},south,Shop A,computed,2026-01-01T00:00:00Z
b,${ids[1]},south,Shop B,computed,2026-01-02T00:00:00Z\n`,
    }
    const keyed = Object.fromEntries(
      Object.entries(KIOSK).map(([name, text]) => {
        const [header, ...rows] = text.trim().split('\n')
        const both = ['a', 'b'].flatMap(each => rows.map(row => `${each},${row}`))
        return [
          name,
          `project_key,${header}\n${both.join('\n')}\nb,9,${name === 'orders.csv' ? '1,2026-01-01,5,paid' : 'FIN'}\n`,
        ]
      }),
    )
    await writeKiosk(join(scratch.path, 'package'), { ...registers, ...keyed })
    assert.match(await foldgate('snapshot', 'check', 'package'), /^The tables of 2 projects can be sealed$/)
    const summary = await foldgate('import', 'package')
    assert.equal(summary, '1 organizations and 2 projects added, 2 of 2 projects sealed')
    assert.match(await foldgate('import', 'package'), /0 of 2 projects sealed/)
    const tables = await Promise.all(
      ids.map(async id => {
        const [newest] = await outputJson<{ tables: object }[]>(scratch.path, 'snapshot', 'list', id)
        return newest?.tables
      }),
    )
    const rows = (customers: number, orders: number) => [
      { name: 'customers', rows: customers },
      { name: 'orders', rows: orders },
    ]
    assert.deepEqual(tables, [rows(2, 3), rows(3, 4)])
    assert.deepEqual(await events().then(all => all.filter(({ event }) => event === 'assessment.completed')), [])
    await writeKiosk(join(scratch.path, 'package'), { 'orders.csv': KIOSK['orders.csv'] })
    const { stderr } = await ask(scratch.path, ['import', 'package'])
    assert.match(stderr, /\n {2}orders, column project_key: the column is missing\n/)
    assert.doesNotMatch(stderr, STRANGE)
  })

  it('lists, compares, verifies, moves and removes without those words', async () => {
    assert.match(await foldgate('snapshot', 'list', project), /^ID +SEALED +CHECKED +TABLES +ROWS +WARNINGS\n/)
    const [newest] = JSON.parse(await foldgate('snapshot', 'list', project, '--json'))
    assert.deepEqual(Object.keys(newest), ['id', 'name', 'projectId', 'sealedAt', 'tables', 'warnings', 'checkedAt'])
    await writeKiosk(join(scratch.path, 'more'), { 'customers.csv': `${KIOSK['customers.csv']}3,FIN\n` })
    await foldgate('seal', project, 'more')
    const difference = JSON.parse(await foldgate('snapshot', 'diff', project, '--json'))
    assert.deepEqual(Object.keys(difference.from), ['id', 'sealedAt'])
    // The key of the catalogue, and not that of the reference.
    const customers = difference.tables.find(({ name }: { name: string }) => name === 'customers')
    assert.deepEqual([customers.key, customers.rows.added], [['customer_id'], 1])
    await foldgate('snapshot', 'diff', project, '--table', 'customers')
    await foldgate('snapshot', 'verify')
    await foldgate('snapshot', 'check', 'tables')
    await foldgate('project', 'list')
    await foldgate('usage')
    await foldgate('project', 'export', project, 'exported')
    assert.match(await refused('project', 'remove', project), /will be removed with 3 snapshots: add --yes/)
    assert.deepEqual(Object.keys(JSON.parse(await foldgate('project', 'remove', project, '--yes', '--json'))), [
      'id',
      'name',
      'snapshots',
      'exports',
      'savedQueries',
    ])
    await foldgate('project', 'import', 'exported')
    await foldgate('organization', 'remove', 'south', '--yes')
    for (const each of said) assert.doesNotMatch(each.slice(each.indexOf(': ')), STRANGE, each)
  })

  it('logs nothing with those words', () => {
    for (const line of linesOf(served)) assert.doesNotMatch(JSON.stringify(line), STRANGE)
  })

  it('logs once which tables of a changed catalogue a snapshot lacks, when it is read', async () => {
    const refunds = ['refunds', 'returns'].map(name => defineTable({ name, columns: { amount: 'INTEGER' } }))
    const returns = { ...refunds[1], optional: true } as TableDefinition
    const relations = [...kiosk.relations.values(), refunds[0] as TableDefinition, returns]
    const changed = await writeCatalogue(scratch.path, defineCatalogue({ relations }))
    await stop(served.child)
    served = await serve(scratch.path, '--catalogue', changed)
    const ask = (snapshot: string | null = null) =>
      call(served.url, key, 'query', { projectId: project, sql: 'SELECT country FROM customers', snapshot })
    assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200])
    // Calls that read an older one, which lacks it too, and the latest one in turn.
    const snapshots = directorySnapshots(join(scratch.path, 'foldgate-data', 'snapshots'))
    const ids = (await snapshots.list(project, new AbortController().signal)).toReversed()
    assert.ok(ids.length > 1)
    for (const snapshot of [...ids, ...ids]) assert.equal((await ask(snapshot)).status, 200)
    const lines = linesOf(served).filter(({ level, type }) => level === 'warn' && type === 'snapshot')
    assert.deepEqual(
      lines.map(({ projectId, tables, msg }) => [projectId, tables, msg]),
      [
        [
          project,
          ['refunds'],
          'a snapshot that is read lacks tables of the catalogue (refunds): seal the project again, ' +
            'or set --catalogue if it was sealed with another one',
        ],
      ],
    )
  })
})
