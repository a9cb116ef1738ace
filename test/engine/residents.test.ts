import assert from 'node:assert/strict'
import { type Catalogue, defineCatalogue, defineFold } from 'foldgate'
import { catalogue } from '../service/catalogue.js'
import { type Service, startService } from '../service/service.js'
import { until } from '../until.js'

/** Reading all of it leaves 64 MB in the memory of a worker, for the next statements. */
const WIDE = defineFold({
  name: 'wide',
  about: 'Numbers that do not compress.',
  reads: [],
  sql: 'SELECT hash(i) AS a, hash(-i) AS b FROM range(4000000) t(i)',
})
const SMALL = 'SELECT count(*) AS n FROM amounts'
const LARGE = 'SELECT bit_xor(a) IS NOT NULL AND bit_xor(b) IS NOT NULL AS n FROM wide'
const ORGANIZATIONS = ['north', 'south', 'east', 'west']
const RESIDENTS = 4

describe('resident workers', () => {
  let service: Service
  before(async () => {
    const { hierarchy, rules, examples } = catalogue
    const wide: Catalogue = defineCatalogue({
      hierarchy,
      rules,
      examples,
      relations: [...catalogue.relations.values(), WIDE],
    })
    service = await startService({ catalogue: wide, engine: { connections: 1, residents: RESIDENTS } })
    for (const [index, organization] of ORGANIZATIONS.entries()) {
      service.host.addProject({ projectId: idOf(index), organization, completed: true })
      service.host.callers.set(organization, { keyId: organization, ownerId: 'ada', organizations: [organization] })
      await service.seal(idOf(index))
    }
  })
  after(() => service.close())

  /** Runs a statement for each organization, and returns how many processes are kept then. */
  async function keptAfter(sql: string): Promise<number> {
    for (const [index, organization] of ORGANIZATIONS.entries()) {
      const { status, body } = await service.call('projects/query', { projectId: idOf(index), sql }, organization)
      assert.equal(status, 200, body.message)
    }
    return service.api.pids().length
  }

  const idOf = (index: number) => `${String(index).repeat(8)}-0000-4000-8000-000000000000`

  it('are one per organization, and one blank worker, while they hold little', async () => {
    await keptAfter(SMALL)
    await until(() => service.api.pids().length === RESIDENTS + 1, 'all are kept')
  })

  it('are ended, the longest idle first, when they hold more than is planned for them', async () => {
    await keptAfter(LARGE)
    await until(() => service.api.pids().length === RESIDENTS, 'one is ended')
    const again = await service.call('projects/query', { projectId: idOf(3), sql: LARGE }, 'west')
    assert.equal(again.status, 200)
    assert.equal(service.api.pids().length, RESIDENTS)
    assert.equal(service.api.stats().restarts, 0)
  })
})
