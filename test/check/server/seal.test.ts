import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineTable } from 'foldgate'
import { openStore, type Store } from '#server/database/store.js'
import { listAssessments } from '#server/store/assessments.js'
import { ask, type Ended, output, outputJson, run, scratchFolder, start, storeOf } from '../../server/command.js'
import { writeCatalogue, writeKiosk } from '../../server/kiosk.js'
import { writeTables } from '../../server/package.js'
import { storeAt } from '../../server/stores.js'
import { appears } from '../faults/appears.js'

const scratch = scratchFolder()
/** Words that nobody who runs a shop should read. */
const STRANGE = /assess|entit|ownership|nature|\bnet\b|gross/i
/** Snapshots of a project, as `snapshot list --json` has them. */
type Listed = { id: string; checkedAt: string | null; tables: { name: string; rows: number }[] }[]

describe('sealing a folder in one step', () => {
  let store: Store
  let flags: string[]
  let data: string
  const said: Ended[] = []

  before(async () => {
    flags = ['--catalogue', await writeCatalogue(scratch.path)]
    data = join(scratch.path, 'foldgate-data')
    await writeKiosk(join(scratch.path, 'tables'))
    await writeKiosk(join(scratch.path, 'more'), { 'customers.csv': 'customer_id,country\n1,KEN\n2,PER\n3,FIN\n' })
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'The North')
    store = await openStore(await storeAt(join(data, 'control.db')))
  })
  after(() => store.close())

  const addProject = () => output(scratch.path, 'project', 'add', '--organization', 'north', '--name', 'A shop')
  const seal = async (project: string, folder: string, ...more: string[]) => {
    const ended = await ask(scratch.path, ['seal', project, folder, ...flags, ...more])
    said.push(ended)
    return ended
  }
  const listed = (project: string) => outputJson<Listed>(scratch.path, 'snapshot', 'list', project)
  const leftOver = () => readdir(join(data, 'scratch'))

  it('publishes a snapshot that can be read at once, and again when the tables have changed', async () => {
    const project = await addProject()
    const first = await seal(project, 'tables')
    assert.deepEqual([first.status, first.stderr], [0, ''])
    assert.match(first.stdout, /^000001-[0-9a-f-]{36}\n$/)
    const [state] = await outputJson<{ state: string }[]>(scratch.path, 'project', 'list')
    assert.equal(state?.state, 'computed')
    const again = JSON.parse((await seal(project, 'more', '--json')).stdout)
    assert.deepEqual(
      [again.projectId, again.leftOut, again.warnings, again.tables],
      [
        project,
        [],
        [],
        [
          { name: 'customers', rows: 3 },
          { name: 'orders', rows: 3 },
        ],
      ],
    )
    assert.deepEqual(
      (await listed(project)).map(({ id }) => id),
      [again.id, first.stdout.trim()],
    )
    const states = (await listAssessments(store, project)).map(each => each.state)
    assert.deepEqual(states, ['completed', 'completed'])
  })

  it('says that nothing has changed, prints the snapshot that stays, and tells when that was checked', async () => {
    const project = await addProject()
    const { stdout } = await seal(project, 'tables')
    const [first] = await listed(project)
    const again = await seal(project, 'tables')
    const id = stdout.trim()
    const sentence = `Nothing has changed since the snapshot ${id}: no other was sealed\n`
    assert.deepEqual([again.status, again.stdout, again.stderr], [0, stdout, sentence])
    assert.equal(JSON.parse((await seal(project, 'tables', '--json')).stdout).unchanged, true)
    assert.equal(JSON.parse((await seal(project, 'more', '--json')).stdout).unchanged, false)
    await seal(project, 'more')
    const [newest, older] = await listed(project)
    assert.deepEqual([older?.id, older?.checkedAt], [id, null])
    assert.ok(Date.parse(newest?.checkedAt ?? '') > Date.parse(first?.checkedAt ?? ''))
    const lines = (await output(scratch.path, 'snapshot', 'list', project)).split('\n').map(line => line.split(/ +/))
    const column = lines[0]?.indexOf('CHECKED') ?? -1
    assert.deepEqual(
      lines.map(cells => cells[column]),
      ['CHECKED', newest?.checkedAt, '-'],
    )
    assert.equal((await listAssessments(store, project)).length, 2)
  })

  it('tells the types of columns that nothing declares', async () => {
    const project = await addProject()
    const relations = [
      defineTable({ name: 'customers' }),
      defineTable({ name: 'orders', columns: { order_id: 'BIGINT' } }),
    ]
    const catalogue = await writeCatalogue(scratch.path, defineCatalogue({ relations }))
    const given = { 'customers.csv': 'id,country,rate\n1,KEN,1.50\n', 'orders.csv': 'order_id\n1\n' }
    await writeKiosk(join(scratch.path, 'untold'), given)
    const args = ['seal', project, 'untold', '--catalogue', catalogue, '--json']
    const { status, stdout, stderr } = await ask(scratch.path, args)
    assert.deepEqual(
      [status, stderr],
      [
        0,
        'Types found in the values, since the catalogue declares none: customers.id BIGINT, customers.rate DECIMAL(18,2)\n',
      ],
    )
    const guessed = [
      { name: 'id', type: 'BIGINT' },
      { name: 'rate', type: 'DECIMAL(18,2)' },
    ]
    assert.deepEqual(JSON.parse(stdout).tables, [
      { name: 'customers', rows: 1, guessed },
      { name: 'orders', rows: 1 },
    ])
  })

  it('lists everything that is wrong, and keeps nothing of it', async () => {
    const project = await addProject()
    const orders = 'order_id,customer_id,placed_on,total,state\n1,9,2026-01-02,1.00,paid\n1,1,soon,1.00,lost\n'
    await writeKiosk(join(scratch.path, 'wrong'), { 'orders.csv': orders, 'notes.txt': 'x' })
    const { status, stdout, stderr } = await seal(project, 'wrong')
    assert.deepEqual([status, stdout], [1, ''])
    const places = stderr.split('\n').map(line => line.split(': ')[0])
    assert.deepEqual(places, [
      'error',
      '  orders, column placed_on',
      '  orders, column state',
      '  orders, column order_id',
      '  orders, column customer_id',
      'Nothing was sealed',
      '',
    ])
    assert.deepEqual([await listed(project), await listAssessments(store, project)], [[], []])
    assert.deepEqual(await leftOver(), [])
    await rm(join(scratch.path, 'wrong', 'orders.csv'))
    assert.match((await seal(project, 'wrong')).stderr, /\n {2}orders: /)
  })

  it('refuses projects and folders that are not there, and says what to run', async () => {
    const project = await addProject()
    const id = '0c000000-0000-4000-8000-000000000001'
    const messages: [Promise<Ended>, RegExp][] = [
      [seal(id, 'tables'), new RegExp(`There is no project ${id}: add it with "foldgate project add --id ${id}"`)],
      [seal('mine', 'tables'), /"mine" is not a UUID/],
      [seal(project, 'nowhere'), /The folder "nowhere" is not there: name the folder that holds the tables/],
      [seal(project, flags[1] ?? ''), /" is not a folder: name the folder/],
      [
        ask(scratch.path, ['seal', project, 'tables', '--catalogue', 'gone.js']),
        /The catalogue "gone\.js" is not there/,
      ],
      [ask(scratch.path, ['seal', project, 'tables', '--catalogue', '']), /--catalogue cannot be "": give the path/],
    ]
    for (const [ended, message] of messages) {
      const { status, stderr } = await ended
      assert.equal(status, 1)
      assert.match(stderr, message)
      assert.match(stderr, /^error: [^\n]+\n$/)
    }
    assert.equal((await ask(scratch.path, ['seal', project])).status, 2)
    assert.deepEqual(await outputJson(scratch.path, 'snapshot', 'list', project), [])
  })

  it('can be done by two commands at once: the one that ends last is read', async () => {
    const project = await addProject()
    const ended = await Promise.all(
      ['tables', 'more'].map(folder => run(scratch.path, ['seal', project, folder, ...flags])),
    )
    assert.deepEqual(
      ended.map(({ status }) => status),
      [0, 0],
      ended.map(({ stderr }) => stderr).join(),
    )
    const sealed = ended
      .map(({ stdout }) => stdout.trim())
      .sort()
      .reverse()
    assert.deepEqual(
      (await listed(project)).map(({ id }) => id),
      sealed,
    )
    const newest = store.db.selectFrom('newest_snapshots').select('snapshot_id').where('project_id', '=', project)
    assert.equal((await newest.executeTakeFirst())?.snapshot_id, sealed[0])
  })

  it('leaves nothing that stays after it was killed or interrupted', async () => {
    const project = await addProject()
    const rows = Array.from({ length: 300_000 }, (_, at) => `${at},KEN`)
    await writeKiosk(join(scratch.path, 'large'), { 'customers.csv': `customer_id,country\n${rows.join('\n')}\n` })
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const child = start(scratch.path, ['seal', project, 'large', ...flags], await storeOf(scratch.path, []))
      const ended = new Promise<unknown[]>(resolve => child.once('close', (...how) => resolve(how)))
      await appears(join(data, 'scratch'), path => path.endsWith('.parquet'))
      child.kill(signal)
      assert.deepEqual(await ended, signal === 'SIGKILL' ? [null, signal] : [1, null])
      assert.deepEqual([await listed(project), await listAssessments(store, project)], [[], []])
    }
    assert.equal((await seal(project, 'tables')).status, 0)
    assert.equal((await listed(project)).length, 1)
    assert.deepEqual(await leftOver(), [])
  })

  it('keeps nothing of a project that was removed meanwhile', async () => {
    const project = await addProject()
    const sealing = run(scratch.path, ['seal', project, 'large', ...flags])
    await appears(join(data, 'scratch'), path => path.endsWith('.parquet'))
    await output(scratch.path, 'project', 'remove', project, '--yes')
    const { status, stderr } = await sealing
    assert.equal(status, 1)
    assert.match(stderr, /was removed while its tables were sealed: nothing was kept/)
  })

  it('reads no column of a catalogue as that of a package', async () => {
    const project = await addProject()
    const module = join(scratch.path, 'tasks.mjs')
    const table = { kind: 'table', name: 'tasks', columns: { project_key: 'VARCHAR' }, meanings: {}, required: [] }
    const rest = {
      measures: {},
      unique: [],
      references: {},
      ranges: {},
      values: {},
      warnings: [],
      lossy: [],
      optional: false,
    }
    const relations = JSON.stringify([['tasks', { ...table, ...rest }]])
    await writeFile(module, `export default { relations: new Map(${relations}), summaries: [] }\n`)
    await mkdir(join(scratch.path, 'tasks'))
    await writeFile(join(scratch.path, 'tasks', 'tasks.csv'), 'project_key\nA\nB\n')
    const { status, stderr } = await ask(scratch.path, ['seal', project, 'tasks', '--catalogue', module])
    assert.deepEqual([status, stderr], [0, ''])
    const imported = await ask(scratch.path, ['import', 'tasks', '--catalogue', module])
    assert.match(imported.stderr, /the table "tasks" .* seal the tables of each project with "foldgate seal PROJECT/)
  })

  it('is for assessed projects too, unless an assessment of theirs is running', async () => {
    const project = await addProject()
    await writeTables(join(scratch.path, 'assessed'))
    const ended = await ask(scratch.path, ['seal', project, 'assessed'])
    assert.deepEqual([ended.status, ended.stderr], [0, ''])
    const [assessment] = await listAssessments(store, project)
    assert.equal(assessment?.state, 'completed')
    const [snapshot] = await outputJson<{ assessmentId: string }[]>(scratch.path, 'snapshot', 'list', project)
    assert.equal(snapshot?.assessmentId, assessment?.id)
    const running = await output(scratch.path, 'assessment', 'start', project)
    const { status, stderr } = await ask(scratch.path, ['seal', project, 'assessed'])
    assert.equal(status, 1)
    assert.match(stderr, new RegExp(`The assessment ${running} of this project is running: seal in it with`))
  })

  it('says nothing of assessments and owners without a tree', () => {
    assert.ok(said.length > 8)
    for (const { stdout, stderr } of said) assert.doesNotMatch(`${stdout}${stderr}`, STRANGE)
  })
})
