import assert from 'node:assert/strict'
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { openStore, type Store } from '../../../../server/dist/database/store.js'
import { createKey } from '../../../../server/dist/store/keys.js'
import { addUser } from '../../../../server/dist/store/users.js'
import { ask, output, run, scratchFolder } from '../../../../test/server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../../../test/server/package.js'
import { serve, stop } from '../../../../test/server/server.js'
import { storeAt } from '../../../../test/server/stores.js'
import { filesOfTable, manifestPath } from '../../../../test/stored.js'

const scratch = scratchFolder()
const { early, late } = PROJECT_IDS

describe('a package on the command line', () => {
  let store: Store
  let snapshots: string
  before(async () => {
    await writePackage(join(scratch.path, 'package'))
    await writeTables(join(scratch.path, 'tables'))
    await output(scratch.path, 'import', 'package')
    const data = join(scratch.path, 'foldgate-data')
    store = await openStore(await storeAt(join(data, 'control.db')))
    snapshots = join(data, 'snapshots')
  })
  after(() => store.close())

  const check = async (folder: string) => run(scratch.path, ['snapshot', 'check', folder])

  it('is checked without a data folder, with its warnings', async () => {
    const empty = join(scratch.path, 'empty')
    await mkdir(empty)
    const { status, stdout, stderr } = await run(empty, ['snapshot', 'check', '../package'])
    const told = [0, 'The tables of 2 projects can be sealed\n', 'Not a table, left out: "NOTICE.txt"\n']
    assert.deepEqual([status, stdout, stderr], told)
    assert.deepEqual(await readdir(empty), [])
    const single = await run(empty, ['snapshot', 'check', '../tables', '--json'])
    assert.deepEqual(JSON.parse(single.stdout), { projects: null, warnings: [], leftOut: [] })
  })

  it('is refused if it is not there', async () => {
    const { status, stdout, stderr } = await run(scratch.path, ['import', 'nowhere'])
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^error: [^\n]*folder "nowhere" is not there: name the folder that holds [^\n]*\n$/)
  })

  it('is refused by a check as by an import, with every problem by its line', async () => {
    const folder = join(scratch.path, 'spoiled')
    await writePackage(folder)
    await writeFile(join(folder, 'biomes.csv'), 'project_key;biome_num;biome\n')
    await writeFile(join(folder, 'ecoregions.csv'), '')
    await appendFile(join(folder, 'sites.csv'), 'late,"b\nc",nobody,,,1000,,,,,,\n')
    await appendFile(join(folder, 'projects.csv'), 'x\n')
    const { status, stdout, stderr } = await check('spoiled')
    assert.deepEqual([status, stdout], [1, ''])
    const problems = stderr.split('\n').filter(line => line.startsWith('  '))
    assert.deepEqual(problems, [
      '  projects.csv: line 6: there is 1 field, and 7 in the header: write the comma of an empty field too',
    ])
    await writePackage(join(scratch.path, 'mended'))
    await writeFile(join(folder, 'projects.csv'), await readFile(join(scratch.path, 'mended', 'projects.csv')))
    const again = await check('spoiled')
    assert.deepEqual(again.stderr.split('\n'), [
      'error: The tables of "spoiled" cannot be sealed:',
      '  biomes: line 1: the fields are separated by semicolons: save it as CSV UTF-8 with commas',
      '  ecoregions: the file is empty: write the names of the columns in its first line',
      '  sites, project The late one, column latitude: line 4: "1000" is not within -90 and 90',
      '  sites, project The late one, column entity_key: "nobody" is not in entities.entity_key',
      'Nothing was sealed: correct the files and run the same command again',
      '',
    ])
    const imported = await run(scratch.path, ['import', 'spoiled'])
    assert.deepEqual(imported.stderr.split('\n').slice(1), again.stderr.split('\n').slice(1))
  })

  it('is sealed with warnings that are printed, listed and shown on the query page', async () => {
    await appendFile(join(scratch.path, 'tables', 'sectors.csv'), 'COAL,Coal,GWh,,\n')
    await appendFile(join(scratch.path, 'tables', 'factors.csv'), 'COAL,co2,t,climate change,1,1,none,,,\n')
    await appendFile(join(scratch.path, 'tables', 'characterisation.csv'), 'co2,t,climate change,,,,\n')
    await appendFile(join(scratch.path, 'tables', 'activities.csv'), 'site,COAL,,,1,GWh,,,,3095\n')
    const assessment = (await output(scratch.path, 'assessment', 'start', early)).trim()
    const { status, stderr } = await run(scratch.path, ['snapshot', 'seal', assessment, 'tables'])
    assert.equal(status, 0)
    assert.match(
      stderr,
      /^Warnings .*\n {2}activities, column start_year: line 2: "3095" is not within 1700 and 2200\n/,
    )
    const listed = JSON.parse(await output(scratch.path, 'snapshot', 'list', early, '--json'))
    assert.deepEqual(
      listed.map((each: { warnings: object[] }) => each.warnings.length),
      [4, 0],
    )
    await addUser(store, { email: 'ada@example.org', organizations: ['south'] })
    const { key } = await createKey(store, { user: 'ada@example.org', organizations: ['south'] })
    const { url, child } = await serve(scratch.path)
    const params = { projectId: early, include: ['snapshots', 'warnings'] }
    const response = await fetch(`${url}/public/v1/api/projects/describe`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(params),
    })
    const { result } = (await response.json()) as { result: { warnings: object[]; snapshots: object[] } }
    const kept = listed.map((each: { id: string; sealedAt: string }) => ({
      snapshot: each.id,
      sealedAt: each.sealedAt,
    }))
    assert.deepEqual([result.warnings, result.snapshots], [listed[0].warnings, kept])
    await stop(child)
  })

  it('is verified after sealing, and a changed file is named', async () => {
    assert.match((await ask(scratch.path, ['snapshot', 'verify'])).stdout, /^3 snapshots are as sealed\n$/)
    const [newest = ''] = await directorySnapshots(snapshots).list(late, new AbortController().signal)
    const [sites = ''] = await filesOfTable(snapshots, late, newest, 'sites')
    await writeFile(sites, 'PAR1')
    const { status, stderr } = await ask(scratch.path, ['snapshot', 'verify'])
    assert.equal(status, 1)
    assert.match(
      stderr,
      new RegExp(`\n {2}${newest} of the project ${late}: sites-\\S+\\.parquet is not as it was sealed\n`),
    )
    assert.equal((await ask(scratch.path, ['snapshot', 'verify', early])).status, 0)
    await rm(manifestPath(snapshots, late, newest))
    const gone = await ask(scratch.path, ['snapshot', 'verify'])
    assert.match(gone.stderr, new RegExp(`\\n {2}${newest} of the project ${late}: it is missing\\n`))
  })
})
