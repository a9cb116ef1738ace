import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MOST_SAVED_QUERIES, saveQuery } from '#explore/server/saved-queries.js'
import { MAX_SAVED_SQL_BYTES } from '#explore/server/saved-statement.js'
import { openControl } from '#server/database/store.js'
import { openDataFolder } from '#server/snapshots/data-folder.js'
import { addOrganization } from '#server/store/organizations.js'
import { addProject } from '#server/store/projects.js'
import { addUser } from '#server/store/users.js'
import { Visitor } from '../test/check/pages/visitor.js'
import { serve, stop } from '../test/server/server.js'
import { timed } from './assessed.js'
import type { Figure } from './run.js'

const READERS = 20
const MEASURED_MS = 10_000
const PASSWORD = 'correct horse'
const LIST = '/explore/queries'

/** What `/live` took, in milliseconds, and what the server held, in MiB. */
interface Watched {
  liveMs: number[]
  residentMib: number
}

/**
 * Measures the server while twenty readers of one session ask for its largest list, the saved queries: first without
 * reading the answers, then reading each answer and asking for it again at once.
 */
export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  const sockets: Socket[] = []
  try {
    const data = join(folder, 'data')
    const [email = ''] = await fill(data)
    const { url, child } = await serve(folder, '--data', data)
    const visitor = await new Visitor(url).enter({ email, password: PASSWORD })
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const list = await visitor.get(LIST)
    const alone = await watch(url, child.pid, MEASURED_MS / 4)
    const unread = watch(url, child.pid, MEASURED_MS)
    for (let reader = 0; reader < READERS; reader++) sockets.push(await askUnread(url, cookie))
    const slow = await unread
    for (const socket of sockets) socket.destroy()
    const until = performance.now() + MEASURED_MS
    const answers: Record<number, number> = {}
    const asking = Array.from({ length: READERS }, async () => {
      while (performance.now() < until) {
        const response = await fetch(`${url}${LIST}`, { headers: { cookie } }).catch(() => null)
        await response?.arrayBuffer().catch(() => {})
        const status = response?.status ?? 0
        answers[status] = (answers[status] ?? 0) + 1
      }
    })
    const busy = await watch(url, child.pid, MEASURED_MS)
    await Promise.all(asking)
    await stop(child)
    const counted = Object.entries(answers).map(([status, count]) => `${count} × ${status}`)
    return [
      { what: 'the list, one answer', measured: `${list.status}, ${mib(list.html.length)}`, baseline: '', bar: '' },
      figure(`${READERS} readers that read nothing`, slow, alone),
      figure(`${READERS} readers that ask again at once: ${counted.join(', ')}`, busy, alone),
    ]
  } finally {
    for (const socket of sockets) socket.destroy()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Two users who share an organization, each with as many and as long queries as they may have. */
async function fill(data: string): Promise<string[]> {
  const store = await openControl(await openDataFolder(data))
  await addOrganization(store, { key: 'north', name: 'North' })
  const { projectId } = await addProject(store, { organization: 'north', name: 'Project' })
  const emails = ['ada@example.org', 'bob@example.org']
  // A control character is six bytes of JSON.
  const sql = `x${'\x01'.repeat(MAX_SAVED_SQL_BYTES - 1)}`
  for (const email of emails) {
    const user = await addUser(store, { email, organizations: ['north'], password: PASSWORD })
    for (let at = 0; at < MOST_SAVED_QUERIES; at++)
      await saveQuery(store, { user, sql, projectId, name: `Query ${at} ${'x'.repeat(80)}`, organization: 'north' })
  }
  await store.close()
  return emails
}

/** Asks for the list on a new connection, and reads nothing of the answer. */
async function askUnread(url: string, cookie: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {}) // the server cuts it off
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET ${LIST} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${cookie}\r\n\r\n`)
  return socket
}

async function watch(url: string, pid: number | undefined, forMs: number): Promise<Watched> {
  const liveMs: number[] = []
  let residentMib = 0
  for (const until = performance.now() + forMs; performance.now() < until; await delay(10)) {
    liveMs.push(await timed(async () => (await fetch(`${url}/live`)).text()))
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    residentMib = Math.max(residentMib, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  }
  return { liveMs, residentMib }
}

function figure(what: string, watched: Watched, alone: Watched): Figure {
  return { what, measured: told(watched), baseline: `${told(alone)} alone`, bar: '50 ms, 64 MiB more' }
}

function told({ liveMs, residentMib }: Watched): string {
  const sorted = liveMs.toSorted((a, b) => a - b)
  const at = (part: number) => `${(sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1)} ms`
  return `/live p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1)}; ${residentMib.toFixed(0)} MiB`
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(2)} MiB`
}
