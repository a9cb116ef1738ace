import assert from 'node:assert/strict'
import { FOREIGN_PROJECT, KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { Fuzz } from './fuzz.js'
import { faultOf } from './judge.js'

const SEED = Number(process.env.FOLDGATE_SEED ?? 20261122)
const STATEMENTS = 4_000
const AT_ONCE = 4

describe('generated statements', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { queryTimeoutMs: 1_000, connectionWaitMs: 30_000 } })
    await service.seal(FOREIGN_PROJECT)
  })
  after(() => service.close())

  it(`are answered in the shape of the contract, and end no process (seed ${SEED})`, async () => {
    const fuzz = await Fuzz.open(SEED)
    const found: string[] = []
    let [left, answered] = [STATEMENTS, 0]
    const caller = async (index: number) => {
      // Two organizations, so that processes have to be replaced.
      const [projectId, key] = index % 2 === 0 ? [PROJECT, KEYS.north] : [FOREIGN_PROJECT, KEYS.south]
      while (left-- > 0) {
        const sql = fuzz.statement()
        const response = await fetch(`${service.url}/public/v1/api/projects/query`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}` },
          body: JSON.stringify({ projectId, sql }),
        })
        answered += Number(response.ok)
        const fault = faultOf(response.status, await response.text())
        if (fault) found.push(`${sql}\n  ${fault}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => caller(index)))
    assert.deepEqual(found, [])
    const died = service.events.filter(
      event => event.type === 'engine' && event.what === 'died' && !event.detail.startsWith('SIGKILL'),
    )
    assert.deepEqual(died, [])
    assert.ok(answered > STATEMENTS / 10, `${answered} of ${STATEMENTS} were answered`)
  }).timeout(600_000)
})
