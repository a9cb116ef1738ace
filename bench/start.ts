import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run as runCommand, start } from '../test/server/command.js'
import { call, serve, stop } from '../test/server/server.js'
import { median, timed } from './assessed.js'
import type { Figure } from './run.js'

const ROUNDS = 9
const SQL = 'SELECT * FROM fold_pressures'

/** Times `foldgate serve` from its start to its first answer, on a data folder that was served before. */
export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  const data = ['--data', join(folder, 'data')]
  try {
    const demo = await runCommand(folder, ['demo', '--once', '--json', '--port', '0', ...data])
    const { key } = JSON.parse(demo.stdout) as { key: string }
    const answered: number[] = []
    const announced: number[] = []
    const bare: number[] = []
    const version: number[] = []
    for (let round = -1; round < ROUNDS; round++) {
      const startedAt = performance.now()
      const { url, child } = await serve(folder, ...data, { connections: 2 })
      const announcedMs = performance.now() - startedAt
      const { status } = await call(url, key, 'query', { projectId: await computed(url, key), sql: SQL })
      const answeredMs = performance.now() - startedAt
      const ended = await stop(child)
      if (status !== 200 || ended !== 0) throw new Error(`the server answered ${status} and ended with ${ended}`)
      const bareMs = await timed(() => once(spawn(process.execPath, ['--eval', '0']), 'exit'))
      const versionMs = await timed(() => once(start(folder, ['--version']), 'exit'))
      if (round < 0) continue // the first round builds the relations
      answered.push(answeredMs)
      announced.push(announcedMs)
      bare.push(bareMs)
      version.push(versionMs)
    }
    const ms = (times: readonly number[]) => `${median(times).toFixed(0)} ms`
    return [
      {
        what: `first answer of a query, median of ${ROUNDS} starts`,
        measured: `${ms(answered)}, at most ${Math.max(...answered).toFixed(0)}`,
        baseline: `${ms(bare)} a Node process that does nothing, ${ms(version)} foldgate --version`,
        bar: '1000 ms',
      },
      { what: 'address announced', measured: ms(announced), baseline: '', bar: '' },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function computed(url: string, key: string): Promise<unknown> {
  const { items } = await call(url, key, 'list')
  return items.find(({ state }) => state === 'computed')?.projectId
}
