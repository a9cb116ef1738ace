import assert from 'node:assert/strict'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { openSealer, type Sealer } from 'foldgate/sealing'
import catalogue from '#assessed/catalogue.js'
import { wordsOf } from '#server/settings/words.js'
import { type ProjectsToSeal, sealProjects } from '#server/snapshots/seal-projects.js'
import { listAssessments, startAssessment } from '#server/store/assessments.js'
import { newestSnapshot } from '#server/store/newest-snapshots.js'
import { addProject } from '#server/store/projects.js'
import { ControlStore } from './control.js'
import { PROJECT_IDS, writePackage } from './package.js'

type Key = keyof typeof PROJECT_IDS

const projectOf = (key: Key) => ({ key, id: PROJECT_IDS[key], name: `The ${key} one` })

describe('sealing projects of a package', () => {
  const control = new ControlStore()
  let folder: string
  let source: string
  let sealer: Sealer
  let readings: number

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    sealer = await openSealer({ catalogue, snapshots: snapshots(), folder: join(folder, 'scratch') })
  })
  after(async () => {
    await sealer.close()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    readings = 0
    source = await mkdtemp(join(folder, 'package-'))
    await writePackage(source)
    await control.addOrganizations('north')
    for (const key of ['early', 'late', 'idle'] as const)
      await addProject(control.store, { organization: 'north', ...projectOf(key) })
  })

  const snapshots = () => directorySnapshots(join(folder, 'snapshots'))
  const counting = (): Sealer => ({
    ...sealer,
    sealMany: request => {
      readings += 1
      return sealer.sealMany(request)
    },
  })
  type Asked = Partial<ProjectsToSeal<ReturnType<typeof projectOf>>>
  const seal = async (keys: readonly Key[], asked: Asked = {}) => {
    const told: string[] = []
    const known = new Set(['early', 'late', 'idle'])
    const sealing = sealProjects(
      { store: control.store, snapshots: snapshots(), words: wordsOf(catalogue), sealer: counting() },
      {
        folder: source,
        projects: keys.map(projectOf),
        known,
        refusal: 'These are wrong:',
        onBegin: ({ key }) => told.push(`${key} …`),
        onSealed: ({ key }) => told.push(key),
        ...asked,
      },
    )
    const error = await sealing.catch((cause: Error) => cause)
    return { told, message: error ? error.message : null }
  }
  const states = async (key: Key) =>
    (await listAssessments(control.store, PROJECT_IDS[key])).map(({ state }) => state).join(' ')

  it('reads the package once, and completes the assessment of one before that of the next one starts', async () => {
    const { id } = await startAssessment(control.store, PROJECT_IDS.late)
    const found = await seal(['late', 'early'], { sourceDigest: ({ key }) => `digest of ${key}` })
    assert.deepEqual(found, { told: ['early …', 'early', 'late …', 'late'], message: null })
    assert.deepEqual([readings, await states('early'), await states('late')], [1, 'completed', 'completed'])
    const [newest] = await snapshots().manifests(PROJECT_IDS.late)
    assert.deepEqual([newest?.assessmentId, newest?.sourceDigest], [id, 'digest of late'])
    assert.equal(await newestSnapshot(control.store, PROJECT_IDS.late), newest?.snapshotId)
  })

  it('refuses rows with problems by the name of their project, whose assessment fails', async () => {
    await appendFile(join(source, 'sites.csv'), 'late,second,nobody,,,,,,,,,\n')
    const { told, message } = await seal(['late', 'early'])
    assert.equal(
      message,
      'These are wrong:\n  sites, project The late one, column entity_key: "nobody" is not in entities.entity_key\n' +
        'Run the command again',
    )
    assert.ok(!told.includes('late'))
    assert.equal(await states('late'), 'failed')
  })

  it('refuses a project without rows by its key', async () => {
    const { message } = await seal(['idle'])
    assert.match(
      message ?? '',
      /^ {2}projects\.csv, project The idle one: no table has rows whose project_key is "idle"$/m,
    )
    assert.equal(await states('idle'), 'failed')
  })

  it('seals nothing when a row has a key that is not known', async () => {
    const { told, message } = await seal(['early'], { known: new Set(['early']) })
    assert.match(message ?? '', /^ {2}\w+, column project_key: row 1: "late" is the key of no project$/m)
    assert.deepEqual([told, await states('early')], [[], ''])
  })

  it('starts no further assessment once the signal is aborted', async () => {
    const abort = new AbortController()
    const reason = new Error('stopped')
    const onSealed = () => abort.abort(reason)
    const { message } = await seal(['early', 'late'], { signal: abort.signal, onSealed })
    assert.deepEqual([message, await states('early'), await states('late')], ['stopped', 'completed', ''])
  })

  it('ends with the error of the store', async () => {
    const { told, message } = await seal(['early', 'running'])
    assert.match(message ?? '', /^There is no project 0a0/)
    assert.deepEqual(told, ['running …'])
  })
})
