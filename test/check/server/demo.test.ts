import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { LAST_FILE, writeMadeUpPackage } from '#assessed/made-up/package.js'
import { type Ended, output, outputJson, run, scratchFolder, start } from '../../server/command.js'
import { writeCatalogue, writeKiosk } from '../../server/kiosk.js'
import { Visitor } from '../pages/visitor.js'

interface DemoReport {
  url: string
  email: string
  password: string
  key: string
  projects: number
  relations: number
  queries: { question: string; rows: number }[]
  export: { rows: number; bytes: number; downloadedBytes: number }
}

/** The rest of the preparation takes longer. */
const PROMPT_MS = 10_000
const REAL_DATA = resolve(process.env.FOLDGATE_TEST_DATA ?? '../shared/data')

describe('foldgate demo', () => {
  const scratch = scratchFolder()

  function assertWhole(report: DemoReport): void {
    assert.match(report.url, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.match(report.key, /^fg_/)
    assert.equal(report.queries.length, 3)
    for (const { question, rows } of report.queries) assert.ok(rows > 0, question)
    assert.ok(report.export.rows > 0)
    assert.equal(report.export.downloadedBytes, report.export.bytes)
  }

  /** The demonstration on the real data, which runs beside the first tests, as it takes the longest. */
  let real: Promise<Ended> | undefined
  before(() => {
    const flags = ['--from', REAL_DATA, '--data', 'real', '--once', '--port', '0', '--json']
    if (existsSync(REAL_DATA)) real = run(scratch.path, ['demo', ...flags])
  })
  after(() => real)

  it('--once prepares a fictional group, calls every method and exits with status 0', async () => {
    const { status, stdout, stderr } = await run(scratch.path, ['demo', '--once', '--port', '0'])
    assert.equal(status, 0, stderr)
    for (const part of [
      'made up',
      'projects/list',
      'projects/describe',
      'projects/query',
      'projects/export',
      'Address',
      'Login',
      'Key',
    ])
      assert.ok(stdout.includes(part), part)
    const [, shown, all] = /projects\/describe: (\d+) of (\d+) relations of "/.exec(stdout) ?? []
    assert.ok(Number(shown) > 0 && Number(shown) < Number(all), stdout)
    const [, link = '', fragment = ''] = /^Queries {2}(\S+\/explore)#(\S+)$/m.exec(stdout) ?? []
    const key = /^Key +(\S+)$/m.exec(stdout)?.[1] ?? ''
    assert.deepEqual([...new URLSearchParams(fragment).keys()], ['project', 'key'])
    assert.equal(new URLSearchParams(fragment).get('key'), key)
    assert.ok(key !== '' && !link.includes(key), 'the key is in the fragment alone, which no server is sent')
    const [, command = ''] = /^Folder {3}\.\/foldgate-demo$[\s\S]*^ {2}npx foldgate (key list .*)$/m.exec(stdout) ?? []
    assert.match(await output(scratch.path, ...command.split(' ')), /demo@foldgate\.example/)
  })

  it('shows the tables of one project under a catalogue of its own, again and again', async () => {
    const catalogue = await writeCatalogue(scratch.path)
    await writeKiosk(join(scratch.path, 'shop'))
    const flags = ['demo', '--once', '--port', '0', '--data', 'of-shop', '--catalogue', catalogue]
    for (let runs = 0; runs < 2; runs++) {
      const { status, stdout, stderr } = await run(scratch.path, [...flags, '--from', 'shop'])
      assert.equal(status, 0, stderr)
      assert.match(stdout, /projects\/list: 1 projects/)
      assert.match(stdout, /Which country pays most\? \(2 rows/)
      assert.match(stdout, /projects\/export: revenue, 2 rows/)
      assert.doesNotMatch(stdout, /assess|entit|ownership|nature|\bnet\b|gross/i)
    }
    const without = await run(scratch.path, flags)
    assert.deepEqual([without.status, without.stdout], [1, ''])
    assert.match(without.stderr, /^error: The generated package is for the reference catalogue: name .* --from\n$/)
  })

  it('seals nothing twice when it runs again, and revokes the previous key', async () => {
    const first = await outputJson<DemoReport>(scratch.path, 'demo', '--once', '--port', '0')
    const second = await outputJson<DemoReport>(scratch.path, 'demo', '--once', '--port', '0')
    assertWhole(second)
    assert.equal(second.projects, first.projects)
    assert.notEqual(second.key, first.key)
    const keys = await outputJson<{ revokedAt: string | null }[]>(
      scratch.path,
      'key',
      'list',
      '--data',
      'foldgate-demo',
    )
    assert.equal(keys.filter(key => key.revokedAt === null).length, 1)
  })

  it('runs on the real data', async function () {
    if (!real) {
      console.log('      left out: no real data at FOLDGATE_TEST_DATA or ../shared/data')
      return this.skip()
    }
    const { status, stdout, stderr } = await real
    assert.equal(status, 0, stderr)
    const report = JSON.parse(stdout) as DemoReport
    assertWhole(report)
    assert.equal(report.projects, 9)
  })

  it('writes the file that marks a fictional package as complete last', async () => {
    const folder = resolve(scratch.path, 'package')
    const blocked = resolve(folder, 'sources.csv')
    await mkdir(blocked, { recursive: true })
    await assert.rejects(writeMadeUpPackage(folder))
    assert.ok(!existsSync(resolve(folder, LAST_FILE)))
    await rmdir(blocked)
    await writeMadeUpPackage(folder)
    assert.ok(existsSync(resolve(folder, LAST_FILE)))
  })

  it('refuses a package that does not exist', async () => {
    const { status, stderr } = await run(scratch.path, [
      'demo',
      '--from',
      'nowhere',
      '--data',
      'none',
      '--once',
      '--port',
      '0',
    ])
    assert.equal(status, 1)
    assert.match(stderr, /nowhere/)
  })

  const interrupted: [moment: string, printed: string, signal: NodeJS.Signals][] = [
    ['it writes the package', 'made up', 'SIGINT'],
    ['it seals', 'Sealing it', 'SIGTERM'],
    ['it seals', '[1/', 'SIGINT'],
    ['it starts the server or calls it', '[6/', 'SIGTERM'],
  ]
  it('stops with one line and status 1 when interrupted while it prepares, and continues when it runs again', async () => {
    const demo = ['demo', '--port', '0', '--data', 'interrupted']
    for (const [moment, printed, signal] of interrupted) {
      const child = start(scratch.path, demo)
      const ended = once(child, 'exit')
      const complaints = child.stderr ? text(child.stderr) : ''
      let told = ''
      let signalledAt = 0
      for await (const more of child.stdout?.setEncoding('utf8') ?? []) {
        told += more
        if (signalledAt > 0 || !told.includes(printed)) continue
        signalledAt = performance.now()
        child.kill(signal)
      }
      assert.deepEqual(await ended, [1, null], moment)
      assert.ok(performance.now() - signalledAt < PROMPT_MS, moment)
      assert.equal(await complaints, 'error: Interrupted: what is finished stays; run the command again for the rest\n')
      assert.doesNotMatch(told, /It stays up/, moment)
    }
    const { status, stdout, stderr } = await run(scratch.path, [...demo, '--once'])
    assert.equal(status, 0, stderr)
    assert.match(stdout, /\[1\/6\] .*: unchanged/)
  })

  it('stays up without --once, refuses a second demo, and never loads the database into its process', async () => {
    const child = start(scratch.path, ['demo', '--port', '0'])
    try {
      let printed = ''
      for await (const more of child.stdout?.setEncoding('utf8') ?? []) {
        printed += more
        if (printed.includes('stays up')) break
      }
      const url = /Address +(\S+)/.exec(printed)?.[1]
      const key = /Key +(\S+)/.exec(printed)?.[1]
      const beside = await run(scratch.path, ['demo', '--once', '--port', '0'])
      assert.equal(beside.status, 1)
      assert.match(beside.stderr, /runs "foldgate serve" on the data folder/)
      const answer = await fetch(`${url}/public/v1/api/projects/list`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
      })
      assert.equal(answer.status, 200)
      const [, email = '', password = ''] = /Login +(\S+) +(\S+)/.exec(printed) ?? []
      const visitor = await new Visitor(url ?? '').enter({ email, password })
      assert.match((await visitor.get('/')).html, /<bdi>demo<\/bdi>/)
      if (process.platform === 'linux') {
        const maps = await readFile(`/proc/${child.pid}/maps`, 'utf8')
        assert.ok(maps.includes('node'))
        assert.ok(!/duckdb/i.test(maps))
      }
    } finally {
      child.kill('SIGTERM')
    }
    const [status] = await once(child, 'exit')
    assert.equal(status, 0)
  })
})
