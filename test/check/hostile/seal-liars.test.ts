import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import type * as sealing from 'foldgate/sealing'
import { fromRows, type Sealer, type SealManyRequest } from 'foldgate/sealing'
import { FROM_PROCESS } from '#lib/flow/channel.js'
import { catalogue } from '../../service/catalogue.js'
import { PACKAGE } from '../../service/group.js'
import { contentOf, Liar, type Lie, placesIn, WRONG } from './liar.js'

const { done, failed } = FROM_PROCESS
const OWN = '11111111-1111-4111-8111-111111111111'
const FOREIGN = '33333333-3333-4333-8333-333333333333'
const TENANTS = new Map([
  ['a', '44444444-4444-4444-8444-444444444444'],
  ['b', '55555555-5555-4555-8555-555555555555'],
])

const statistics = { rows: 5, columns: [null] }
const table = { rows: 5, columns: [{ name: 'a', type: 'BIGINT' }], guessed: ['a'], statistics, kept: 0, files: 1 }
const problem = { table: 't', column: 'a', message: 'wrong', rows: 1 }
const SEALED = { problems: null, sealed: { tables: [table], rootId: 'x', warnings: [] } }

/** The fields of a host: a process that names them is not believed. */
const OF_THE_HOST = {
  projectId: FOREIGN,
  snapshotId: '000009-00000000-0000-4000-8000-000000000000',
  sealedAt: '1999-01-01T00:00:00Z',
  file: '../../../../store.db',
  name: '../../../../store',
  sha256: '0'.repeat(64),
}

describe('a sealer whose processes lie', () => {
  let liar: Liar
  let folder: string
  let sealer: Sealer
  let many: Sealer
  let ofPackage: () => ReturnType<typeof sealing.fromFolder>
  const snapshots = () => directorySnapshots(join(folder, 'snapshots'))
  before(async () => {
    liar = await Liar.open()
    folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
    await mkdir(join(folder, 'package'))
    for (const [name, content] of Object.entries(PACKAGE)) await writeFile(join(folder, 'package', name), content)
    await writeFile(join(folder, 'store.db'), 'of the host')
    const { fromFolder, openSealer } = await liar.import<typeof sealing>('sealing.js')
    const shop = defineCatalogue({
      relations: [
        defineTable({ name: 't', columns: { id: { type: 'BIGINT' } } }),
        defineTable({ name: 'same', columns: { x: { type: 'VARCHAR' } } }),
      ],
    })
    const to = { snapshots: snapshots(), folder: join(folder, 'scratch') }
    sealer = await openSealer({ catalogue, ...to })
    many = await openSealer({ catalogue: shop, ...to })
    ofPackage = () => fromFolder(join(folder, 'package'))
    await sealer.seal({ projectId: FOREIGN, tables: ofPackage() })
  })
  after(async () => {
    await sealer.close()
    await many.close()
    await liar.close()
    await rm(folder, { recursive: true, force: true })
  })

  const requestOfMany = (): SealManyRequest => ({
    tables: {
      t: fromRows([
        { id: 1, tenant: 'a' },
        { id: 2, tenant: 'b' },
      ]),
      same: fromRows([{ x: 'y' }]),
    },
    by: 'tenant',
    shared: ['same'],
    projects: TENANTS,
  })

  /** What is there besides the projects that are sealed here, and scratch files. */
  const content = () => contentOf(folder, ['scratch', OWN, ...TENANTS.values()])

  /** Tells a lie, which has no effect on other files and projects; what is sealed is of its project, and sound. */
  async function tell(lie: Lie, seal: () => Promise<unknown>): Promise<void> {
    const before = await content()
    await liar.tell(lie)
    const startedAt = new Date().toISOString()
    const outcome = await seal().catch((cause: unknown) => cause)
    await liar.tell(null)
    const told = JSON.stringify(lie).slice(0, 200)
    if (outcome instanceof Error) assert.match(outcome.name, /^Seal(er)?Error$/, told)
    assert.deepEqual(await content(), before, told)
    const signal = new AbortController().signal
    for (const projectId of [OWN, ...TENANTS.values()]) {
      for (const snapshotId of await snapshots().list(projectId, signal)) {
        const manifest = (await snapshots().manifests(projectId)).find(each => each.snapshotId === snapshotId)
        assert.equal(manifest?.projectId, projectId, told)
        assert.ok(manifest.sealedAt >= startedAt, told)
        assert.deepEqual(await snapshots().verify(projectId, snapshotId), [], told)
      }
      await snapshots().remove(projectId)
    }
  }

  const sealOwn = () => sealer.seal({ projectId: OWN, tables: ofPackage() })
  const JOB = ['"hierarchy":{']

  it('publishes nothing that is not its own: fields of other kinds', async () => {
    for (const [at, path] of [...placesIn(SEALED)].entries())
      for (const [index, value] of WRONG.entries())
        if ((at + index) % 8 === 0) await tell({ kind: done, job: JOB, path, value }, sealOwn)
  }).timeout(300_000)

  it('publishes nothing that is not its own: fields of the host', async () => {
    for (const path of [[], ['sealed'], ['sealed', 'tables', 0], ['sealed', 'tables', 1]])
      for (const [name, value] of Object.entries(OF_THE_HOST))
        await tell({ kind: done, job: JOB, path: [...path, name], value }, sealOwn)
  }).timeout(300_000)

  it('publishes nothing that is not its own: counts, roots and problems', async () => {
    for (const [path, value] of [
      [['sealed', 'tables', 0, 'files'], 0],
      [['sealed', 'tables', 0, 'files'], 3],
      [['sealed', 'tables', 0, 'files'], 1_000_000],
      [['sealed', 'tables', 0, 'kept'], 1],
      [['sealed', 'tables'], []],
      [['sealed', 'tables', 0], null],
      [['sealed', 'rootId'], FOREIGN],
      [['sealed', 'rootId'], '../../../../../../../../../../../store'],
      [['problems'], []],
      [['problems'], [problem]],
      [['checked'], { rows: [1], warnings: [problem] }],
    ] as const)
      await tell({ kind: done, job: JOB, path, value }, sealOwn)
    for (const kind of ['view', 'disk', 'memory', 'fault'])
      await tell(
        { kind: done, as: failed, job: JOB, path: [], value: { kind, text: '../../store.db', at: 0, isFull: true } },
        sealOwn,
      )
  }).timeout(300_000)

  it('takes no file that is none', async () => {
    for (const files of [{ link: join(folder, 'store.db') }, { folder: true } as const])
      await tell({ kind: done, job: JOB, path: ['sealed', 'warnings'], value: [], files }, sealOwn)
  })

  it('seals no tenant for another: what was read, and what was written', async () => {
    const sealMany = () => many.sealMany(requestOfMany())
    const lies: [path: readonly (string | number)[], value: unknown][] = [
      [['tables', 1], {}],
      [['tables', 1, 'shared', 'files'], 2],
      [['tables', 1, 'shared', 'name'], '../../../store'],
      [['tables'], []],
      [['tables', 0], { shared: table }],
      [
        ['tables', 0, 'rows'],
        [
          ['a', [1, 1]],
          ['a', [1, 1]],
          ['c', [5, 2]],
          [null, [2, 3]],
        ],
      ],
      [['tables', 0, 'rows', 0, 0], '../../store.db'],
      [['tables', 0, 'rows', 0, 1, 0], -1],
    ]
    for (const [path, value] of lies) await tell({ kind: done, job: ['"by":"tenant"'], path, value }, sealMany)
    for (const [name, value] of Object.entries(OF_THE_HOST))
      for (const path of [['sealed'], ['sealed', 'tables', 0], []])
        await tell({ kind: done, job: ['"key":"a"'], path: [...path, name], value }, sealMany)
    await tell(
      {
        kind: done,
        job: ['"key":"a"'],
        path: ['sealed', 'warnings'],
        value: [],
        files: { link: join(folder, 'store.db') },
      },
      sealMany,
    )
  }).timeout(300_000)

  it('seals as before once they tell the truth', async () => {
    const { manifest } = await sealOwn()
    assert.deepEqual(
      [manifest.projectId, manifest.tables.map(({ name, rows }) => [name, rows])],
      [
        OWN,
        [
          ['entities', 5],
          ['amounts', 5],
        ],
      ],
    )
    const { sealed } = await many.sealMany(requestOfMany())
    assert.deepEqual(sealed.map(({ key, rows }) => [key, rows]).sort(), [
      ['a', 1],
      ['b', 1],
    ])
  })
})
