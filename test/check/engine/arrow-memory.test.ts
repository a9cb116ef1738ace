import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { PROJECT, startService } from '../../service/service.js'

const SQL = 'SELECT hash(i) AS a, hash(i + 1) AS b, hash(i + 2) AS c FROM range(1000000) t(i)'
/** Node 22 and later take up to five exports until their heaps have their size. */
const WARM_UP = 5
const EXPORTS = 10
const MIB = 1024 ** 2

describe('exports of the format arrow', () => {
  it('leave nothing in the memory of their process, which serves the next ones', async function () {
    if (process.platform !== 'linux') this.skip()
    const service = await startService({ engine: { connections: 1 } })
    try {
      const largest = () =>
        Math.max(
          ...service.api.pids().map(pid => {
            const pages = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]
            return Number(pages) * 4096
          }),
        )
      const held: number[] = []
      for (let made = 0; made < EXPORTS; made++) {
        const { body } = await service.call('projects/export', { projectId: PROJECT, sql: SQL, format: 'arrow' })
        assert.ok((body.result?.bytes ?? 0) > 20 * MIB, body.message)
        held.push(largest())
      }
      // Each file has 23 MiB.
      const grown = (held.at(-1) as number) - (held[WARM_UP - 1] as number)
      assert.ok(grown < 1.5 * 23 * MIB, held.map(bytes => Math.round(bytes / MIB)).join(' '))
    } finally {
      await service.close()
    }
  })
})
