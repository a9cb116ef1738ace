import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { MemoryGroup } from '#lib/flow/cgroup.js'

const MIB = 1024 ** 2

describe('the control group of a process', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** Writes what a system tells, and finds the group of the process 7 there. */
  async function groupOf(cgroup: string, files: Record<string, string>): Promise<MemoryGroup | null> {
    const places = { proc: join(folder, 'proc'), groups: join(folder, 'groups') }
    await write({ 'proc/7/cgroup': cgroup, ...files })
    return MemoryGroup.of(7, places)
  }

  async function write(files: Record<string, string>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), content)
    }
  }

  const V1 = '5:cpu,cpuacct:/\n4:memory:/docker/a\n0::/\n'
  for (const [what, cgroup, files, events] of [
    [
      'of version 2',
      '0::/system.slice/foldgate.service\n',
      {
        'groups/system.slice/memory.max': `${600 * MIB}\n`,
        'groups/system.slice/foldgate.service/memory.max': 'max\n',
        'groups/system.slice/foldgate.service/memory.events': 'max 9\noom 3\noom_kill 2\noom_group_kill 0\n',
      },
      'groups/system.slice/foldgate.service/memory.events',
    ],
    [
      'of version 2, as a container sees its own',
      '0::/\n',
      { 'groups/memory.max': `${600 * MIB}\n`, 'groups/memory.events': 'oom 1\noom_kill 0\n' },
      'groups/memory.events',
    ],
    [
      'of version 1',
      V1,
      {
        'groups/memory/docker/a/memory.limit_in_bytes': `${600 * MIB}\n`,
        'groups/memory/memory.limit_in_bytes': '9223372036854771712\n',
        'groups/memory/docker/a/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
      },
      'groups/memory/docker/a/memory.oom_control',
    ],
    [
      'of version 1, in a container that has the path of the machine',
      V1,
      {
        'groups/memory/memory.limit_in_bytes': `${600 * MIB}\n`,
        'groups/memory/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 0\n',
      },
      'groups/memory/memory.oom_control',
    ],
    [
      'of version 2 beside version 1',
      '4:cpu:/\n0::/foldgate\n',
      {
        'groups/unified/foldgate/memory.max': `${600 * MIB}\n`,
        'groups/unified/foldgate/memory.events': 'oom_kill 0\n',
      },
      'groups/unified/foldgate/memory.events',
    ],
  ] as const)
    it(`tells its least limit, and when the kernel has killed for it: ${what}`, async () => {
      const group = await groupOf(cgroup, files)
      assert.ok(group)
      assert.deepEqual([group.events, group.limitBytes], [join(folder, events), 600 * MIB])
      assert.equal(group.hasJustKilled(), false, 'a kill before the first look is of another process')
      await write({ [events]: 'oom_kill_disable 0\noom_kill 3\n' })
      assert.equal(group.hasJustKilled(), true)
      group.look()
      assert.equal(group.hasJustKilled(), true, 'its process may still be ending')
    })

  it('forgets a kill once its process must have ended', async () => {
    const files = { 'groups/memory.max': 'max\n', 'groups/memory.events': 'oom_kill 0\n' }
    const group = await groupOf('0::/\n', files)
    await write({ 'groups/memory.events': 'oom_kill 1\n' })
    group?.look()
    const { now } = performance
    performance.now = () => now.call(performance) + 5_000
    try {
      assert.equal(group?.hasJustKilled(), false)
    } finally {
      performance.now = now
    }
    assert.equal(group?.limitBytes, totalmem(), 'without a limit, there is the memory of the machine')
  })

  it('is none where the system tells of none', async () => {
    assert.equal(await groupOf('0::/\n', {}), null)
    assert.equal(await groupOf('', { 'groups/memory.events': 'oom_kill 0\n' }), null)
  })
})
