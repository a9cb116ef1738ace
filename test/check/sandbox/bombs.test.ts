import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { JobFailed, ProcessDied } from '#lib/flow/parent.js'
import type { Launcher } from '#lib/sandbox/launchers.js'
import { MemoryWatch } from '../../../bench/bombs/watch.js'
import { FOREIGN_PROJECT, KEYS, startService } from '../../service/service.js'
import { ERROR_CODE, Host, MEMORY_LIMIT_BYTES } from './host.js'
import { available } from './launchers.js'

const ENDS_WITHIN_MS = 60_000
const MIB = 1024 ** 2
/** What a process of the newest Node maps at rest, and what it may take until the host looks again. */
const BEYOND_MIB = 570 + 700
/** The event loop of the host, which shares two cores with the bomb and is held up by the garbage of tests. */
const MOST_DELAY_MS = 1_500

/** What becomes of each bomb: the code of the error that ends it, or why the host has ended its process. */
const OUTCOMES: Readonly<Record<string, string | RegExp | null>> = {
  'memory that is shared': 'EPERM',
  'memory that grows down': 'EPERM',
  'memory of its own': 'ENOMEM',
  'memory that is written, then made read-only': /ended by its host: out of memory, \d+ MiB of \d+$/,
  'tables of pages': /ended by its host: out of memory/,
  'threads that sleep': /ended by its host: it runs \d+ threads, more than 64$/,
  'threads that compute': /ended by its host: it runs \d+ threads/,
  descriptors: 'EMFILE',
  'pipes that are full': 'EMFILE',
  'many files': /ended by its host: it has made more than 4000 files and folders$/,
  'one large file': /ended by its host: its files take \d+ MiB, more than 256$/,
  'folders in each other': /ended by its host: it has made more than 16 folders in each other$/,
  'names that are no text, and folders without rights': null,
}
/** Without walls, the kernel refuses no kind of memory: the host looks at what is resident. */
const WITHOUT_WALLS: typeof OUTCOMES = {
  ...OUTCOMES,
  'memory that is shared': /ended by its host: out of memory/,
  'memory that grows down': /ended by its host: out of memory/,
}

/** Throws one bomb: what became of it, and what it took of the machine. */
async function blastOf(host: Host, name: string) {
  const job = await host.start()
  const watch = new MemoryWatch(process.pid)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const startedAt = performance.now()
  const timer = setTimeout(() => job.kill(), ENDS_WITHIN_MS)
  try {
    const outcome = await job.run(name, ERROR_CODE).then(
      ({ value }) => value,
      (cause: Error) => {
        assert.ok(!(cause instanceof JobFailed), cause)
        return cause instanceof ProcessDied ? cause.exit.stderr : String(cause)
      },
    )
    return { outcome, ms: performance.now() - startedAt, mib: watch.child, delayMs: delay.max / 1e6 }
  } finally {
    clearTimeout(timer)
    watch.stop()
    delay.disable()
    job.kill()
    await job.exited
  }
}

describe('calls of another organization', () => {
  it('are answered while a process throws bombs', async function () {
    if (process.platform !== 'linux') this.skip()
    const { bubblewrap, setpriv } = await available()
    const service = await startService()
    const took: number[] = []
    let isOver = false
    try {
      await service.seal(FOREIGN_PROJECT)
      const ask = async () => {
        const startedAt = performance.now()
        const sql = `SELECT sum(amount) AS s FROM amounts -- ${took.length}`
        const { status, body } = await service.call('projects/query', { projectId: FOREIGN_PROJECT, sql }, KEYS.south)
        assert.equal(status, 200, body.message)
        took.push(performance.now() - startedAt)
      }
      const asking = (async () => {
        while (!isOver) await ask()
      })()
      for (const bomb of Object.keys(OUTCOMES)) {
        const host = await Host.open(bubblewrap ?? setpriv)
        await Promise.race([blastOf(host, bomb), asking])
        await host.close()
      }
      isOver = true
      await asking
      const slowest = Math.max(...took)
      assert.ok(took.length > 100 && slowest < MOST_DELAY_MS, `${took.length} calls, the slowest took ${slowest} ms`)
    } finally {
      isOver = true
      await service.close()
    }
  }).timeout(3 * ENDS_WITHIN_MS)
})

for (const name of ['bubblewrap', 'setpriv', null] as const) {
  describe(`a bomb ${name === null ? 'without walls' : `behind ${name}`}`, () => {
    let launcher: Launcher | null = null
    let host: Host
    before(async function () {
      if (process.platform !== 'linux') this.skip()
      if (name !== null) launcher = (await available())[name]
      if (name !== null && launcher === null) this.skip()
    })
    beforeEach(async () => {
      host = await Host.open(launcher)
    })
    afterEach(() => host.close())

    for (const [bomb, expected] of Object.entries(name === null ? WITHOUT_WALLS : OUTCOMES))
      it(`of ${bomb} ends, and leaves nothing`, async () => {
        const { outcome, ms, mib, delayMs } = await blastOf(host, bomb)
        if (expected instanceof RegExp) assert.match(outcome ?? '', expected)
        else assert.equal(outcome, expected)
        if (process.env.FOLDGATE_TEST_TABLE)
          console.log(
            `${name} | ${bomb} | ${outcome} | ${Math.round(ms)} ms | ${Math.round(mib)} MiB | ${Math.round(delayMs)} ms`,
          )
        assert.ok(ms < ENDS_WITHIN_MS, `${ms} ms`)
        assert.ok(mib < MEMORY_LIMIT_BYTES / MIB + BEYOND_MIB, `${mib} MiB`)
        assert.ok(delayMs < MOST_DELAY_MS, `the host was held up for ${delayMs} ms`)
        await host.world.remove()
        assert.ok(!existsSync(host.world.folder))
      }).timeout(2 * ENDS_WITHIN_MS)
  })
}
