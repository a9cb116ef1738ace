import assert from 'node:assert/strict'
import { FOREIGN_PROJECT, KEYS, PROJECT, type Service, startService } from '../../service/service.js'

const ALONE_MS = 6_000
const BESIDE_MS = 20_000
const HOSTILE = 4

let written = 0
/** A new statement that keeps the engine's parser busy for longer than the guard lets it. */
function slow(): string {
  const number = ++written
  const columns = (count: number) => Array.from({ length: count }, (_, at) => `c${number}_${at}`).join(',')
  switch (number % 3) {
    case 0:
      return `SELECT 1 FROM fold_risks GROUP BY ${columns(5_000)}`
    case 1:
      return `SELECT CASE [${'1,'.repeat(10_000)}${number}] ${'WHEN 1 THEN 1 '.repeat(2_500)}END`
    default:
      return `SELECT ${'sum(a) OVER w,'.repeat(2_000)}1 FROM t WINDOW w AS (PARTITION BY ${columns(2_500)})`
  }
}

describe('statements that take the guard long', () => {
  let service: Service
  before(async () => {
    service = await startService()
    await service.seal(FOREIGN_PROJECT)
  })
  after(() => service.close())

  const ask = (key: string, projectId: string, sql: string) =>
    service.call('projects/query', { projectId, sql, page: { limit: 1 } }, key)

  /** How long each of the calls of another organization took, one after the other, for so long. */
  async function spent(forMs: number): Promise<number[]> {
    const times: number[] = []
    for (const end = performance.now() + forMs; performance.now() < end; ) {
      const startedAt = performance.now()
      const { status, body } = await ask(KEYS.south, FOREIGN_PROJECT, `SELECT ${++written} AS n FROM fold_risks`)
      times.push(performance.now() - startedAt)
      assert.equal(status, 200, body.message)
    }
    return times.sort((a, b) => a - b)
  }

  it('hold up no other organization: its p95 beside four such callers is at most three times as long', async () => {
    await spent(1_000) // the first calls start processes
    const alone = await spent(ALONE_MS)
    let isOver = false
    const statuses: number[] = []
    const attack = async () => {
      while (!isOver) statuses.push((await ask(KEYS.north, PROJECT, slow())).status)
    }
    const attacks = Array.from({ length: HOSTILE }, attack)
    const beside = await spent(BESIDE_MS)
    isOver = true
    await Promise.all(attacks)
    const p95 = (times: readonly number[]) => times[Math.floor(times.length * 0.95)] as number
    const told = [alone, beside].map(
      times => `${times.length} calls, p95 ${p95(times).toFixed(1)} ms, slowest ${times.at(-1)?.toFixed(0)} ms`,
    )
    process.stdout.write(`      alone: ${told[0]}; beside ${statuses.length} slow statements: ${told[1]}\n`)
    assert.ok(p95(beside) <= 3 * p95(alone), told.join('; '))
    assert.ok(
      statuses.every(status => status === 422 || status === 503),
      String(statuses),
    )
  }).timeout(120_000)

  it('leave the guard as much memory for others as it had', async () => {
    const large = (note: string) => `SELECT ${'?,'.repeat(30_000)}1 -- ${note}`
    const told = async (note: string) => (await ask(KEYS.south, FOREIGN_PROJECT, large(note))).body.message
    const before = await told('before')
    assert.match(before ?? '', /Parameters have names/)
    for (let count = 0; count < 3; count++) {
      await ask(KEYS.north, PROJECT, slow())
      assert.equal(await told(String(count)), before)
    }
  }).timeout(120_000)
})
