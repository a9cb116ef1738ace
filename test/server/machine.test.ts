import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compareWith, type Machine, readMachine, refuseImpossible, tellFindings } from '#server/serving/machine.js'
import { readConfig } from '#server/settings/config.js'
import { run } from './command.js'

const GIB = 1024 ** 3
const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             96364                96364                processes
Max open files            1024                 524288               files
`

describe('the machine that a server starts on', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'foldgate-machine-'))
  })
  afterEach(() => rm(root, { recursive: true }))

  async function machineOf(files: Readonly<Record<string, string>>): Promise<Machine> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    return readMachine(root)
  }

  it('is read from the limits of the process and of its control groups, of version 2', async () => {
    const { descriptors, tasks } = await machineOf({
      'proc/self/limits': LIMITS,
      'proc/self/cgroup': '0::/system.slice/foldgate.service\n',
      'sys/fs/cgroup/pids.max': 'max\n',
      'sys/fs/cgroup/system.slice/pids.max': '300\n',
      'sys/fs/cgroup/system.slice/foldgate.service/pids.max': '512\n',
    })
    assert.deepEqual([descriptors, tasks], [1024, 300])
  })

  it('is read from control groups of version 1', async () => {
    const { tasks } = await machineOf({
      'proc/self/cgroup': '9:name=systemd:/\n8:pids:/docker/1\n0::/\n',
      'sys/fs/cgroup/pids/pids.max': '256\n',
    })
    assert.equal(tasks, 256)
  })

  it('is not known where the system tells nothing, and this one tells its descriptors', async () => {
    const { descriptors, tasks } = await machineOf({})
    assert.deepEqual([descriptors, tasks], [null, null])
    if (process.platform === 'linux') assert.ok(((await readMachine()).descriptors ?? 0) > 0)
  })

  const ample: Machine = { memory: { bytes: 64 * GIB, isContainer: false }, descriptors: 100_000, tasks: null }
  const container = (bytes: number) => ({ ...ample, memory: { bytes, isContainer: true } })

  async function found(machine: Machine, limits: Record<string, string | number>) {
    const config = readConfig({}, {}, limits)
    const folder = { engine: root, snapshots: root, hasCopies: false }
    const findings = await compareWith(machine, config, folder)
    return (what: string) => findings.find(each => each.what === what) ?? assert.fail(what)
  }

  it('is compared with the memory that connections may take', async () => {
    const small = { connections: 2, memoryLimit: '512MiB' }
    assert.deepEqual((await found(container(4 * GIB), small))('memory'), {
      what: 'memory',
      state: 'ok',
      message: '2 connections of 512MiB fit 4,096 MiB of the container',
    })
    const { state, message } = (await found(container(2 * GIB), small))('memory')
    assert.equal(state, 'warning')
    assert.match(message, /may take 2,288 MiB, more than the 2,048 MiB of the container: .*lower connections/)
  })

  it('is compared with the descriptors and processes that are needed', async () => {
    const limits = { connections: 2, residents: 6, spares: 4 }
    const states = async (machine: Partial<Machine>, what: string) =>
      (await found({ ...ample, ...machine }, limits))(what).state
    assert.deepEqual(await Promise.all([400, 1024, 4096].map(descriptors => states({ descriptors }, 'descriptors'))), [
      'failed',
      'warning',
      'ok',
    ])
    assert.deepEqual(await Promise.all([200, 256, null].map(tasks => states({ tasks }, 'processes'))), [
      'warning',
      'ok',
      'ok',
    ])
  })

  it('is compared with the disk', async () => {
    const { state, message } = (await found(ample, { connections: 1000, memoryLimit: '1TiB' }))('disk')
    assert.equal(state, 'warning')
    assert.match(message, /statements may spill and export [\d,]+ MiB at once: free some, or lower connections/)
  })

  it('is told: what cannot work is refused, and what may not is a warning', async () => {
    const lines: string[] = []
    const add = (level: string) => (_: object, message: string) => void lines.push(`${level} ${message}`)
    const log = { info: add('info'), warn: add('warn'), error: add('error') }
    tellFindings(log, [
      { what: 'memory', state: 'ok', message: 'it fits' },
      { what: 'descriptors', state: 'ok', message: 'many' },
      { what: 'disk', state: 'warning', message: 'little is free' },
    ])
    assert.deepEqual(lines, ['info memory: it fits', 'warn disk: little is free'])
    assert.throws(
      () => refuseImpossible([{ what: 'descriptors', state: 'failed', message: 'too few' }]),
      /^Refusal: The server cannot start here: too few/,
    )
  })

  it('refuses a start with too few descriptors, and says what to raise', async function () {
    if (process.platform !== 'linux') this.skip()
    const limited = (count: number) =>
      run(root, ['serve', '--port', '0'], { wrapper: ['/bin/sh', '-c', `ulimit -n ${count}; exec "$@"`, 'sh'] })
    const [unloaded, refused] = await Promise.all([limited(100), limited(380)])
    assert.deepEqual([unloaded.status, refused.status], [1, 1])
    // Later versions of Node load the server with fewer.
    const few = (count: number) =>
      `The server cannot start here: ${count} files and sockets may be open, and a start needs \\d+`
    const unopened = `foldgate cannot open enough files to start \\(EMFILE\\)|${few(100)}`
    assert.match(unloaded.stderr, new RegExp(`^error: (?:${unopened}): raise the limit .*\n$`))
    assert.match(refused.stderr, new RegExp(`^error: ${few(380)}: raise`))
  })
})
