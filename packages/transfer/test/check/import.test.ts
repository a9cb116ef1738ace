import assert from 'node:assert/strict'
import { appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { projectState } from 'foldgate/internal'
import { type ImportSummary, importPackage } from '#transfer/import/import-package.js'
import { openStore, type Store } from '../../../../server/dist/database/store.js'
import { type DataFolder, openDataFolder } from '../../../../server/dist/snapshots/data-folder.js'
import { listAssessments, startAssessment } from '../../../../server/dist/store/assessments.js'
import { addOrganization, listOrganizations } from '../../../../server/dist/store/organizations.js'
import { addProject, listProjects } from '../../../../server/dist/store/projects.js'
import { run, scratchFolder } from '../../../../test/server/command.js'
import { changeProjects, PROJECT_IDS, writePackage } from '../../../../test/server/package.js'
import { storeAt } from '../../../../test/server/stores.js'
import { manifestPath } from '../../../../test/stored.js'

const scratch = scratchFolder()

describe('import', () => {
  let source: string
  let data: DataFolder
  let store: Store

  beforeEach(async () => {
    const folder = await mkdtemp(join(scratch.path, 'import-'))
    source = join(folder, 'package')
    await writePackage(source)
    data = await openDataFolder(join(folder, 'data'), { store: await storeAt(join(folder, 'data', 'control.db')) })
    store = await openStore(data.control)
  })

  afterEach(() => store.close())

  function importIt(signal?: AbortSignal, onProgress?: Parameters<typeof importPackage>[3]): Promise<ImportSummary> {
    return importPackage(store, { data, ...(signal ? { signal } : {}) }, source, onProgress)
  }

  /** The states of a project's assessments, and the number of its snapshots. */
  async function found(projectId: string): Promise<string> {
    const assessments = (await listAssessments(store, projectId)).map(each => each.state)
    const snapshots = await directorySnapshots(data.snapshots).manifests(projectId)
    return `${assessments.join(' ')} ${snapshots.length}`
  }

  const outcomes = (summary: ImportSummary) => summary.projects.map(project => project.outcome)

  it('registers projects by creation date, keeps ids and dates, and gives each project its state', async () => {
    const seen: string[] = []
    const summary = await importIt(undefined, ({ index, total, outcome = '…' }) =>
      seen.push(`${index}/${total} ${outcome}`),
    )
    assert.deepEqual([summary.organizationsAdded, summary.projectsAdded, summary.leftOut], [2, 4, ['NOTICE.txt']])
    assert.deepEqual(seen.slice(0, 4), ['1/4 …', '1/4 sealed', '2/4 …', '2/4 sealed'])
    const projects = await listProjects(store)
    assert.deepEqual(
      projects.map(project => [project.projectId, projectState(project), new Date(project.createdAt).toISOString()]),
      [
        [PROJECT_IDS.early, 'computed', '2025-01-01T09:00:00.000Z'],
        [PROJECT_IDS.idle, 'notComputed', '2025-02-01T09:00:00.000Z'],
        [PROJECT_IDS.late, 'computed', '2025-03-01T09:00:00.000Z'],
        [PROJECT_IDS.running, 'computing', '2025-04-01T07:00:00.000Z'],
      ],
    )
    assert.deepEqual(
      (await listOrganizations(store)).map(each => each.name),
      ['The "North", Ltd', 'The South'],
    )
    assert.equal(await found(PROJECT_IDS.early), 'completed 1')
    assert.equal(await found(PROJECT_IDS.running), 'running 0')
    assert.equal(await found(PROJECT_IDS.idle), ' 0')
  })

  it('adds nothing twice, and seals a changed package in a new assessment', async () => {
    assert.deepEqual(outcomes(await importIt()), ['sealed', 'registered', 'sealed', 'started'])
    const again = await importIt()
    assert.deepEqual(outcomes(again), ['unchanged', 'unchanged', 'unchanged', 'unchanged'])
    assert.deepEqual([again.organizationsAdded, again.projectsAdded], [0, 0])
    await appendFile(join(source, 'sites.csv'), 'late,second,plant,,,,,,,,,\n')
    assert.deepEqual(outcomes(await importIt()), ['sealed', 'unchanged', 'sealed', 'unchanged'])
    assert.equal(await found(PROJECT_IDS.late), 'completed completed 2')
    assert.equal(await found(PROJECT_IDS.running), 'running 0')
  })

  it('seals again when the keys of two projects are swapped, and when the newest snapshot is lost', async () => {
    await importIt()
    await changeProjects(source, project => {
      const swapped: Record<string, string> = { late: 'early', early: 'late' }
      return { ...project, project_key: swapped[project.project_key ?? ''] ?? project.project_key ?? '' }
    })
    assert.deepEqual(outcomes(await importIt()), ['sealed', 'unchanged', 'sealed', 'unchanged'])
    const { signal } = new AbortController()
    const [newest = ''] = await directorySnapshots(data.snapshots).list(PROJECT_IDS.late, signal)
    await rm(manifestPath(data.snapshots, PROJECT_IDS.late, newest))
    assert.deepEqual(outcomes(await importIt()), ['unchanged', 'unchanged', 'sealed', 'unchanged'])
  })

  it('resumes where it was interrupted', async () => {
    const abort = new AbortController()
    const interrupted = importIt(abort.signal, ({ outcome }) => {
      if (outcome === 'sealed') abort.abort()
    })
    await assert.rejects(interrupted, /abort/i)
    assert.deepEqual([await found(PROJECT_IDS.early), await found(PROJECT_IDS.late)], ['completed 1', ' 0'])
    // Killed before the first seal of one project, and between seal and completion of another.
    await startAssessment(store, PROJECT_IDS.late)
    await store.db.updateTable('assessments').set({ state: 'running' }).where('state', '=', 'completed').execute()
    await importIt()
    assert.deepEqual([await found(PROJECT_IDS.early), await found(PROJECT_IDS.late)], ['completed 1', 'completed 1'])
  })

  it('lists what is wrong with the tables of all projects, writes nothing, and imports them once corrected', async () => {
    const path = join(source, 'entities.csv')
    const good = await readFile(path, 'utf8')
    const spoiled = good.replace(/(late,plant,.*)0\.5/, '$11.5').replace(/(early,plant,.*)0\.5/, '$1half')
    await writeFile(path, `${spoiled}lost,group,,,,,,,,\n`)
    await appendFile(join(source, 'sectors.csv'), ',COAL,,,,\n')
    await appendFile(join(source, 'projects.csv'), 'more,1,north,More,done,2025-01-01T09:00:00Z,\n')
    await assert.rejects(importIt(), (error: Error) => {
      const places = error.message.split('\n').map(line => line.split(': ')[0])
      assert.deepEqual(places, [
        'The package cannot be imported and nothing was written:',
        '  projects.csv, line 6, column project_id',
        '  projects.csv, line 6, column state',
        '  entities, project The early one, column ownership_share',
        '  entities, project The late one, column ownership_share',
        'Nothing was sealed',
      ])
      return true
    })
    assert.deepEqual([await listOrganizations(store), await listProjects(store)], [[], []])
    await changeProjects(source, project => project)
    await assert.rejects(importIt(), (error: Error) => {
      assert.match(error.message, /\n {2}entities, column project_key: line 6: "lost" is the key of no project\n/)
      assert.match(error.message, /\n {2}sectors, column project_key: line 2: the value is missing\n/)
      return true
    })
    await writeFile(path, good)
    await writeFile(
      join(source, 'sectors.csv'),
      `${await readFile(join(source, 'sectors.csv'), 'utf8')}`.split('\n')[0] ?? '',
    )
    await importIt()
    assert.equal(await found(PROJECT_IDS.late), 'completed 1')
  })

  it('runs only once at a time on a store', async () => {
    await store.withImportLock(() =>
      assert.rejects(importIt(), /is importing into the same store, or removing files from it: wait until/),
    )
    assert.equal(await store.withImportLock(async () => 'free again'), 'free again')
  })

  it('does not change a project of another organization', async () => {
    await addOrganization(store, { key: 'south', name: 'Another name' })
    await addProject(store, { organization: 'south', name: 'By hand', id: PROJECT_IDS.late })
    await assert.rejects(importIt(), /0a0.* is registered for the organization south already/)
    assert.equal((await listProjects(store)).length, 1)
  })

  const broken: [string, (folder: string) => Promise<unknown>, RegExp][] = [
    ['no projects', folder => rm(join(folder, 'projects.csv')), /projects\.csv: the file is missing/],
    ['no table', folder => rm(join(folder, 'sites.csv')), /sites: sites\.parquet or sites\.csv is missing/],
    [
      'a table twice',
      folder => copyFile(join(folder, 'sites.csv'), join(folder, 'sites.parquet')),
      /sites: there is both sites\.parquet and sites\.csv: keep one/,
    ],
    [
      'a column that is missing or unknown',
      folder => writeFile(join(folder, 'biomes.csv'), 'biome_num,biom\n'),
      /biomes, column biome: the column is missing\n {2}biomes, column biom: the table has no such column/,
    ],
    [
      'entities without project_key',
      folder => writeFile(join(folder, 'entities.csv'), 'entity_key\n'),
      /entities, column project_key: the column is missing/,
    ],
    [
      'a register without a column',
      folder => writeFile(join(folder, 'organizations.csv'), 'organization_key\nnorth\n'),
      /organizations\.csv, line 1, column name: the column is missing/,
    ],
    [
      'an unknown organization',
      folder => changeProjects(folder, project => ({ ...project, organization_key: 'west' })),
      /projects\.csv, line 5, column organization_key: organizations\.csv has no organization "west"/,
    ],
    [
      'a bad UUID',
      folder => changeProjects(folder, project => ({ ...project, project_id: '12' })),
      /projects\.csv, line 2, column project_id: "12" is not a UUID/,
    ],
    [
      'a UUID twice',
      folder => changeProjects(folder, project => ({ ...project, project_id: PROJECT_IDS.idle })),
      /projects\.csv, line 3, column project_id: ".*" stands in line 2 already/,
    ],
    [
      'a bad state',
      folder => changeProjects(folder, project => ({ ...project, state: 'done' })),
      /column state: "done" is not a state: write computed, computing, notComputed/,
    ],
    [
      'a computed project without rows',
      folder => changeProjects(folder, project => ({ ...project, state: 'computed' })),
      /\n {2}projects\.csv, project The idle one: no table has rows whose project_key is "idle"\n/,
    ],
    [
      'a bad date',
      folder => changeProjects(folder, project => ({ ...project, created_at: '2025-02-30' })),
      /column created_at: "2025-02-30" is not an RFC 3339/,
    ],
    [
      'an empty name',
      folder => changeProjects(folder, project => ({ ...project, name: '' })),
      /line 2, column name: it is empty/,
    ],
    [
      'a stray quote',
      folder => appendFile(join(folder, 'projects.csv'), 'a"b,,,,,,\n'),
      /projects\.csv: line 6: there is a quote within a field/,
    ],
    [
      'bytes that are not UTF-8',
      folder => writeFile(join(folder, 'projects.csv'), Buffer.from([0x61, 0xff])),
      /projects\.csv: line 1: it is not UTF-8/,
    ],
  ]
  for (const [what, spoil, message] of broken) {
    it(`refuses a package with ${what} before anything is written`, async () => {
      await spoil(source)
      await assert.rejects(importIt(), message)
      assert.deepEqual([await listOrganizations(store), await listProjects(store)], [[], []])
    })
  }

  it('prints one line per project and a summary, as JSON on request', async () => {
    const { status, stdout, stderr } = await run(scratch.path, ['import', source, '--data', data.name, '--json'])
    assert.equal(status, 0)
    assert.match(stderr, /^\[1\/4\] The early one: sealed\n\[2\/4\] The late one: sealed\n/)
    assert.equal(JSON.parse(stdout).projectsAdded, 4)
    await rm(join(source, 'projects.csv'))
    const refused = await run(scratch.path, ['import', source, '--data', data.name])
    assert.equal(refused.status, 1)
    assert.match(refused.stderr, /^error: The package cannot be imported and nothing was written:\n {2}projects\.csv/)
  })
})
