import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { s3Snapshots } from 'foldgate-s3'
import { BUCKET, Gateway } from './gateway.js'

const SCRIPT = fileURLToPath(new URL('./racing-process.ts', import.meta.url))
const SNAPSHOTS = 25
const { signal } = new AbortController()

describe('processes that publish and remove snapshots of one project in S3', () => {
  let gateway: Gateway
  let folder: string
  const children: ChildProcess[] = []

  before(async function () {
    this.timeout(450_000)
    const opened = await Gateway.open('processes that publish and remove snapshots in S3')
    if (!opened) return this.skip()
    gateway = opened
    folder = await mkdtemp(join(tmpdir(), 'foldgate-racing-'))
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await gateway?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  it('lose no file of a snapshot that is published', async () => {
    const [prefix, projectId] = [`${randomUUID()}/`, randomUUID()]
    const start = (count: string) => {
      const args = [gateway.url, BUCKET, prefix, join(folder, randomUUID()), projectId, count]
      const env = { ...process.env, ...gateway.environment() }
      const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, ...args], { env, stdio: 'pipe' })
      children.push(child)
      return { child, told: Promise.all([text(child.stdout), text(child.stderr)]) }
    }
    const told = async (process: ReturnType<typeof start>) => {
      const [stdout, stderr] = await process.told
      assert.ok(stdout.startsWith('{'), stderr)
      return JSON.parse(stdout) as { done: number; shared: number }
    }
    const cache = { folder: join(folder, 'copies'), bytes: 1e9 }
    const snapshots = s3Snapshots({ client: gateway.client(), bucket: BUCKET, prefix, cache })
    const pruning = start('')
    const publishing = [start(`${SNAPSHOTS}`), start(`${SNAPSHOTS}`)]
    const published = await Promise.all(publishing.map(told))
    pruning.child.stdin.write('end\n')
    const pruned = await told(pruning)
    const shared = published.map(each => each.shared)
    assert.ok(pruned.done > 5 && shared.every(times => times > 5), `${pruned.done}, ${shared}`)
    const ids = await snapshots.list(projectId, signal)
    assert.ok(ids.length > 0)
    for (const id of ids) assert.deepEqual(await snapshots.verify(projectId, id), [])
    assert.deepEqual([...(await snapshots.remove(projectId))].sort(), [...ids].sort())
    assert.deepEqual(await snapshots.list(projectId, signal), [])
    snapshots.close()
  }).timeout(120_000)
})
