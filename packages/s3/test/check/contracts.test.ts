import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Check } from 'foldgate-contracts'
import { exportPortContract, snapshotPortContract } from 'foldgate-contracts'
import { s3Exports, s3Snapshots } from 'foldgate-s3'
import type { S3Exports } from '#s3/exports.js'
import { TestClock } from '../../../../test/service/ports.js'
import { publishSmall } from '../../../contracts/test/check/subjects.js'
import { BUCKET, Gateway } from './gateway.js'

const HOUR_MS = 3_600_000

describe('snapshots and exports in S3', () => {
  let gateway: Gateway
  before(async function () {
    this.timeout(450_000)
    const opened = await Gateway.open('the contracts of snapshots and exports in S3')
    if (!opened) return this.skip()
    gateway = opened
  })
  after(() => gateway?.close())

  const contracts: Record<string, Check[]> = {
    snapshots: snapshotPortContract(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'foldgate-copies-'))
      const cache = { folder, bytes: 1_000_000 }
      const port = s3Snapshots({ client: gateway.client(), bucket: BUCKET, prefix: `${randomUUID()}/`, cache })
      return {
        port,
        seal: async projectId => (await publishSmall(port, projectId)).snapshotId,
        remove: projectId => port.prune(projectId, 1),
        async close() {
          port.close()
          await rm(folder, { recursive: true, force: true })
        },
      }
    }),
    exports: exportPortContract(() => {
      const clock = new TestClock()
      const opened: S3Exports[] = []
      const options = { client: gateway.client(), bucket: BUCKET, prefix: 'shared/', retentionMs: HOUR_MS, clock }
      const open = () => {
        const exports = s3Exports(options)
        opened.push(exports)
        return exports
      }
      return {
        port: open(),
        reopen: open,
        async lapse() {
          clock.advance(HOUR_MS + 2000) // the store counts seconds
          await open().sweep()
          clock.advance(-HOUR_MS - 2000)
        },
        close() {
          for (const exports of opened) exports.close()
        },
      }
    }),
  }
  for (const [name, checks] of Object.entries(contracts))
    describe(`fulfil the contract of ${name}`, () => {
      for (const { name, run } of checks) it(name, run)
    })
})
