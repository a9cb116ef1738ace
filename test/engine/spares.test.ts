import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'
import { until } from '../until.js'

const ORGANIZATIONS = ['north', 'south', 'east', 'west', 'far']
const SPARES = 3
const RESIDENTS = 4
let asked = 0

const idOf = (organization: string) =>
  `${String(ORGANIZATIONS.indexOf(organization)).repeat(8)}-0000-4000-8000-000000000000`

describe('spare workers', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService({ engine: { connections: 3, residents: RESIDENTS, spares: SPARES } })
    for (const organization of ORGANIZATIONS) {
      service.host.addProject({ projectId: idOf(organization), organization, completed: true })
      service.host.callers.set(organization, { keyId: organization, ownerId: 'ada', organizations: [organization] })
      await service.seal(idOf(organization))
    }
    await until(() => service.api.pids().length === SPARES, 'the spares are ready')
  })
  afterEach(() => service.close())

  async function ask(organization: string, projectId = idOf(organization)): Promise<void> {
    const sql = `SELECT count(*) AS n FROM fold_pressures -- ${++asked}`
    const { status, body } = await service.call('projects/query', { projectId, sql }, organization)
    assert.equal(status, 200, body.message)
  }

  /** The organizations whose files each process was given, by its folder. */
  async function given(): Promise<Map<string, string[]>> {
    const scratch = join(service.folder, 'engine', 'scratch')
    const found = new Map<string, string[]>()
    for (const name of await readdir(scratch)) {
      const files = await readdir(join(scratch, name, 'given'), { recursive: true }).catch(() => [])
      const isOf = (organization: string) => files.some(file => file.includes(idOf(organization)))
      found.set(name, ORGANIZATIONS.filter(isOf))
    }
    return found
  }

  it('are kept beside the residents', async () => {
    for (const [index, organization] of ORGANIZATIONS.entries()) {
      await ask(organization)
      const kept = Math.min(index + 1, RESIDENTS) + SPARES
      await until(() => service.api.pids().length === kept, `${kept} are kept`)
    }
    assert.equal(service.api.stats().restarts, 0)
  })

  it('answer as many organizations at once as there are, each with a process of its own', async () => {
    const before = [...(await given()).keys()]
    const some = ORGANIZATIONS.slice(0, SPARES)
    await Promise.all(some.map(organization => ask(organization)))
    const taken = [...(await given())].filter(([, organizations]) => organizations.length > 0)
    assert.deepEqual(
      taken.map(([name]) => before.includes(name)),
      some.map(() => true),
    )
    assert.deepEqual(taken.flatMap(([, organizations]) => organizations).sort(), [...some].sort())
  })

  it('serve the organization that has taken them, and never another one', async () => {
    const owners = new Map<string, string>()
    for (const organization of [...ORGANIZATIONS, ...ORGANIZATIONS].reverse()) {
      await ask(organization)
      for (const [name, organizations] of await given()) {
        const [owner, other] = organizations
        assert.equal(other, undefined)
        if (owner === undefined) continue // blank, or evicted and not removed yet
        assert.equal(owners.get(name) ?? owner, owner)
        owners.set(name, owner)
      }
    }
    assert.ok(owners.size > RESIDENTS, `${owners.size} processes served ${ORGANIZATIONS.length} organizations`)
  })

  it('are left to others while the process of an organization is idle and can open another project', async () => {
    for (const projectId of [PROJECT, OTHER_PROJECT, idOf('north')]) await ask('north', projectId)
    await until(() => service.api.pids().length === 1 + SPARES, 'one is taken')
    await ask('south')
    await until(() => service.api.pids().length === 2 + SPARES, 'another one is taken')
  })

  it('take the place of the process of an organization that asks little, though it asked last', async () => {
    const workerOf = async (organization: string) =>
      [...(await given())].find(([, organizations]) => organizations.includes(organization))?.[0]
    const [rare = '', ...often] = ORGANIZATIONS.slice(0, RESIDENTS)
    for (let round = 0; round < 4; round++) for (const organization of often) await ask(organization)
    const kept = await Promise.all(often.map(workerOf))
    await ask(rare)
    await ask(ORGANIZATIONS.at(-1) as string)
    await until(async () => (await workerOf(rare)) === undefined, 'its process is ended')
    assert.deepEqual(await Promise.all(often.map(workerOf)), kept)
  })

  it('are replaced when they are killed', async () => {
    const killed = service.api.pids()
    for (const pid of killed) process.kill(pid, 'SIGKILL')
    const isNew = (pid: number) => !killed.includes(pid)
    await until(() => service.api.pids().filter(isNew).length === SPARES, 'there are new ones')
    await ask('north')
  })

  it('end when the service is closed, even those that are starting', async () => {
    await ask('north') // the next one starts now
    const pids = service.api.pids()
    await service.api.close()
    assert.deepEqual(service.api.pids(), [])
    // The launchers have ended. What they ran is killed, too, and the system takes a moment to free its memory.
    await until(() => !pids.some(isAlive), 'all have ended')
    const folders = await readdir(join(service.folder, 'engine', 'scratch'))
    assert.deepEqual(
      folders.filter(name => name !== 'guard'),
      [],
    )
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
