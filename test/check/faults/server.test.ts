import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { directorySnapshots } from 'foldgate'
import { snapshotFiles } from 'foldgate/sealing'
import { writeMadeUpPackage } from '#assessed/made-up/package.js'
import { outputJson, run, scratchFolder, start } from '../../server/command.js'
import { call, serve, stop } from '../../server/server.js'
import { tablesOf } from '../../stored.js'
import { appears } from './appears.js'

const scratch = scratchFolder()
const LONG = 'SELECT md5(i::VARCHAR) AS a FROM range(50000000) t(i)'

interface Project {
  id: string
  state: string
}

describe('a process that is killed', () => {
  let folder: string
  let data: string
  let server: Awaited<ReturnType<typeof serve>> | undefined
  before(async () => {
    folder = scratch.path
    data = join(folder, 'foldgate-data')
    await mkdir(join(folder, 'package'))
    await writeMadeUpPackage(join(folder, 'package'))
  })

  after(() => void server?.child.kill('SIGKILL'))

  const projects = () => outputJson<Project[]>(folder, 'project', 'list')
  const readingAll = async () => {
    const organizations = await outputJson<{ id: string }[]>(folder, 'organization', 'list')
    return organizations.flatMap(({ id }) => ['--organization', id])
  }

  /** Files of seals that did not finish. */
  const leftovers = () => readdir(join(data, 'scratch'))

  it('while it imports: sealed snapshots are whole, the rest is removed, and the next import continues', async () => {
    let sealed = 0
    for (const killedAfter of [0, 1, 2]) {
      const child = start(folder, ['import', 'package'])
      await lines(child, killedAfter)
      await appears(join(data, 'scratch'), name => name.endsWith('.parquet'))
      await killed(child)
      const whole = await assertWhole(join(data, 'snapshots'))
      assert.ok(whole >= sealed, 'a sealed snapshot is lost')
      sealed = whole
    }
    assert.ok((await leftovers()).length > 0, 'a killed process leaves files')
    server = await serve(folder)
    assert.deepEqual(await leftovers(), [], 'and the next one removes them when it starts')
    await stop(server.child)
    assert.equal((await run(folder, ['import', 'package'])).status, 0)
    assert.deepEqual(await leftovers(), [])
    const computed = (await projects()).filter(project => project.state === 'computed')
    assert.equal(await assertWhole(join(data, 'snapshots')), computed.length)
    const again = await outputJson<{ projects: { outcome: string }[] }>(folder, 'import', 'package')
    assert.deepEqual(new Set(again.projects.map(project => project.outcome)), new Set(['unchanged']))
  }).timeout(120_000)

  it('while it creates a key: every key that was printed works', async () => {
    await outputJson(folder, 'user', 'add', 'ada@example.org', ...(await readingAll()))
    const creation = ['key', 'create', '--user', 'ada@example.org', ...(await readingAll())]
    const startedAt = performance.now()
    const told = [(await run(folder, creation)).stdout.trim()]
    const usualMs = performance.now() - startedAt
    for (const part of [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.05]) {
      const child = start(folder, creation)
      const printed = text(child.stdout as NodeJS.ReadableStream)
      const timer = setTimeout(() => child.kill('SIGKILL'), usualMs * part)
      await once(child, 'close')
      clearTimeout(timer)
      const [key = ''] = (await printed).split('\n')
      if (key !== '') told.push(key)
    }
    const { url, child } = await serve(folder)
    for (const key of told) assert.equal((await call(url, key, 'list')).status, 200)
    await stop(child)
    const kept = await outputJson<unknown[]>(folder, 'key', 'list')
    assert.ok(kept.length >= told.length)
  }).timeout(120_000)

  it('while it serves: nothing finished is lost, and nothing unfinished is left', async () => {
    const key = (
      await run(folder, ['key', 'create', '--user', 'ada@example.org', ...(await readingAll())])
    ).stdout.trim()
    const [project] = (await projects()).filter(each => each.state === 'computed')
    const { id: projectId } = project as Project
    server = await serve(folder)
    const made = await call(server.url, key, 'export', { projectId, sql: 'SELECT 42 AS answer' })
    assert.equal(made.status, 200)
    const calls = [
      ['export', { projectId, sql: LONG }, join(data, 'engine', 'scratch'), '.parquet'],
      ['query', { projectId, sql: 'SELECT count(*) AS n FROM risk_rows' }, join(data, 'engine', 'scratch'), '.tmp'],
    ] as const
    for (const [method, params, where, suffix] of calls) {
      const lost = assert.rejects(call(server.url, key, method, params))
      await appears(where, name => name.endsWith(suffix))
      await killed(server.child)
      await lost
      await assertNobodyLeft(data)
      server = await serve(folder)
      const left = await readdir(join(data, 'engine'), { recursive: true })
      assert.deepEqual(
        left.filter(name => /\.(parquet|tmp|jsonl)$/.test(name)),
        [],
      )
      const { pathname } = new URL(made.link ?? '')
      const file = await fetch(server.url + pathname, { headers: { authorization: `Bearer ${key}` } })
      assert.equal(
        Buffer.from(await file.arrayBuffer())
          .subarray(-4)
          .toString(),
        'PAR1',
      )
    }
    const [manifest] = await directorySnapshots(join(data, 'snapshots')).manifests(projectId)
    const sites = manifest?.tables.find(table => table.name === 'sites')?.rows
    const counted = await call(server.url, key, 'query', { projectId, sql: 'SELECT count(*) AS n FROM sites' })
    assert.deepEqual(counted.items, [{ n: sites }])
    assert.equal((await readdir(join(data, 'exports'))).length, 1)
    assert.equal(await stop(server.child), 0)
  }).timeout(120_000)
})

/** Waits until a command has written `count` lines of progress. */
async function lines(child: ChildProcess, count: number): Promise<void> {
  let seen = 0
  while (seen < count) {
    const [chunk] = await once(child.stderr as NodeJS.ReadableStream, 'data')
    seen += String(chunk).split('\n').length - 1
  }
}

async function killed(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/** Asserts that every published snapshot has the files of its manifest, unchanged; returns the number of snapshots. */
async function assertWhole(folder: string): Promise<number> {
  const snapshots = directorySnapshots(folder)
  let count = 0
  for (const projectId of await readdir(join(folder, 'snapshots')).catch(() => [])) {
    const manifests = await snapshots.manifests(projectId)
    assert.equal(manifests.length, (await readdir(join(folder, 'snapshots', projectId))).length)
    for (const manifest of manifests) {
      for (const { file, sha256 } of snapshotFiles(manifest)) {
        const bytes = await readFile(join(tablesOf(folder, projectId), file))
        assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256)
      }
      count += 1
    }
  }
  return count
}

/** Waits until no process works in the folder: the child processes of a killed server end by themselves. */
async function assertNobodyLeft(folder: string): Promise<void> {
  if (process.platform !== 'linux') return
  let left: string[] = []
  for (let look = 0; look < 2000; look++) {
    const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
    const at = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/cwd`).catch(() => '')))
    left = at.filter(path => path.startsWith(join(folder, 'engine')))
    if (left.length === 0) return
  }
  assert.deepEqual(left, [])
}
