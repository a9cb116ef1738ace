import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findSandbox } from '#lib/sandbox/sandbox.js'
import { until } from '../../until.js'
import { EXPECTED } from './expected.js'
import { Host } from './host.js'
import { type Available, available, type Kind } from './launchers.js'
import { isPossibleHere, markdown, NOT_AT_ITS_START, prove, type Tried } from './proof.js'

const KINDS: readonly Kind[] = ['N', 'L', 'S']
const NAMES = ['bubblewrap', 'setpriv'] as const

/** Whether a process runs, rather than being gone or waiting to be reaped. */
function runs(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

describe('what a process behind the walls can do to its host', () => {
  let launchers: Available
  let rows: Tried[]
  before(async function () {
    launchers = await available()
    if (!launchers.bubblewrap && !launchers.setpriv) this.skip()
    rows = await prove(launchers)
    if (process.env.FOLDGATE_TEST_TABLE) process.stdout.write(markdown(rows))
  })

  it('is what the table of walls has, and no more', () => {
    assert.deepEqual(rows.map(({ what }) => what).sort(), Object.keys(EXPECTED).sort())
  })

  it('can be done without walls, as far as this machine has it', () => {
    const impossible = rows.filter(({ what, without }) => without !== null && isPossibleHere(what))
    assert.deepEqual(impossible, [])
  })

  it('cannot be done without walls either, where it is what a process is not started with', () => {
    const possible = rows.filter(({ what, without }) => NOT_AT_ITS_START.includes(what) && without === null)
    assert.deepEqual(possible, [])
  })

  for (const name of NAMES)
    it(`cannot be done behind ${name}`, function () {
      if (!launchers[name]) this.skip()
      assert.deepEqual(
        rows.filter(({ behind }) => behind[name] === null || behind[name]?.startsWith('it ended')),
        [],
      )
    })

  for (const kind of KINDS)
    it(`is blocked by these walls alone: ${kind}`, function () {
      const tried = rows.filter(({ alone }) => alone[kind] !== undefined)
      if (tried.length === 0) this.skip()
      for (const { what, without, alone } of tried) {
        const isBlocked = alone[kind] !== null
        const isExpected = EXPECTED[what]?.includes(kind)
        // What the user cannot do anyway is blocked without the wall, too.
        if (isExpected || without === null) assert.equal(isBlocked, isExpected, `${what}: ${alone[kind]}`)
      }
    })

  it('is seen by the trial of the walls, when root could set the kernel', async function () {
    const { bubblewrap } = launchers
    if (!bubblewrap || process.getuid?.() !== 0) this.skip()
    const withWritableProc: typeof bubblewrap = {
      ...bubblewrap,
      before(room) {
        const { words, fd9 } = bubblewrap.before(room)
        const at = words.findIndex((word, index) => word === '--remount-ro' && words[index + 1] === '/proc')
        assert.ok(at > 0)
        words.splice(at, 2)
        return { words, fd9 }
      },
    }
    const { walls } = await findSandbox([withWritableProc])
    assert.deepEqual(walls, ['network', 'programs', 'processes', 'calls'])
  })

  it('does not reach the host by links among what it has made', async () => {
    const host = await Host.open(null)
    try {
      for (const [what, name] of [
        ['hand over a symbolic link to the store', 'bait'],
        ['link a file of the host to its own', 'hard'],
      ] as const) {
        assert.equal(await host.try(what), null)
        await assert.rejects(host.world.take(name), /something else than a regular file/)
      }
    } finally {
      await host.close()
    }
  })
})

describe('a busy process whose host is killed', () => {
  const ended = async (name: string, check: (pid: number) => Promise<void>) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-proof-')))
    const script = fileURLToPath(new URL('./dying-host.ts', import.meta.url))
    const host = spawn(process.execPath, ['--import', 'tsx', script, folder, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let pid = 0
    try {
      const [printed] = (await once(host.stdout, 'data')) as [Buffer]
      pid = Number(printed.toString())
      assert.ok(runs(pid), `process ${pid} runs`)
      host.kill('SIGKILL')
      await once(host, 'exit')
      await check(pid)
    } finally {
      if (pid > 0 && runs(pid)) process.kill(pid, 'SIGKILL')
      await rm(folder, { recursive: true, force: true })
    }
  }

  for (const name of NAMES)
    it(`ends behind ${name}`, async function () {
      if (!(await available())[name]) this.skip()
      await ended(name, async pid => {
        await until(() => !runs(pid), `process ${pid} ends`)
      })
    })

  it('stays without walls', async function () {
    if (process.platform !== 'linux') this.skip()
    await ended('none', async pid => {
      await after(500)
      assert.ok(runs(pid))
    })
  })
})
