import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JobProcess } from '#lib/flow/parent.js'
import { VERDICT } from '#lib/guard/verdict.js'
import { launchers } from '#lib/sandbox/launchers.js'
import { findSandbox, NO_SANDBOX, type Sandbox } from '#lib/sandbox/sandbox.js'
import { World } from '#lib/sandbox/world.js'
import { listOf, text } from '#lib/schema.js'
import type { Figure } from '../../../bench/run.js'
import { GUARD } from '../../unit/guard-probe.js'

const STARTS = 30
const CALLS = 2_000

/** What walls cost: the start of a process, and a call to it, beside those of a process without walls. */
export async function run(): Promise<Figure[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-bench-')))
  try {
    const sandboxes = await Promise.all(launchers().map(launcher => findSandbox([launcher])))
    const ways = [NO_SANDBOX, ...sandboxes.filter(({ launcher }) => launcher !== null)]
    const times = ways.map(() => ({ starts: [] as number[], calls: [] as number[] }))
    // In turn, so that whatever else the machine does concerns all alike.
    for (let count = 0; count < STARTS; count++)
      for (const [at, sandbox] of ways.entries()) {
        const world = new World(join(folder, `${at}-${count}`))
        const began = performance.now()
        const child = start(world, sandbox)
        await child.ready
        times[at]?.starts.push(performance.now() - began)
        if (count === 0) await call(child, CALLS / 10)
        times[at]?.calls.push(await call(child, CALLS / STARTS))
        child.kill()
        await child.exited
      }
    const [bare, ...walled] = times
    return walled.flatMap(({ starts, calls }, at) => {
      const name = ways[at + 1]?.launcher?.name
      const [from, to] = [median(bare?.starts ?? []), median(starts)]
      const [alone, behind] = [median(bare?.calls ?? []), median(calls)]
      return [
        {
          what: `start behind ${name}`,
          measured: `${(to - from).toFixed(1)} ms more`,
          baseline: `${from.toFixed(0)} ms`,
          bar: '≤ 15 ms more',
        },
        {
          what: `a check behind ${name}`,
          measured: `${(behind / alone).toFixed(2)}×`,
          baseline: `${alone.toFixed(3)} ms`,
          bar: 'within noise',
        },
      ]
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function start(world: World, sandbox: Sandbox) {
  return new JobProcess<unknown>({
    script: { url: GUARD, packages: ['@duckdb/node-api'] },
    world,
    sandbox,
    settings: { relations: ['risks'], functions: [] },
    memoryLimitBytes: 768 * 1024 ** 2,
    failures: text('What has failed.'),
  })
}

/** Milliseconds per call. */
async function call(child: JobProcess<unknown>, times: number): Promise<number> {
  const began = performance.now()
  for (let count = 0; count < times; count++)
    await child.run([{ sql: `SELECT count(*) FROM risks WHERE n > ${count}` }], { schema: listOf(VERDICT, '') })
  return (performance.now() - began) / times
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
