import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { PROJECT, startService } from '../../service/service.js'

const SQL = 'SELECT hash(i) AS a, hash(i + 1) AS b, hash(i + 2) AS c FROM range(1000000) t(i)'
/** Exports until the heaps have their size, and those that are compared with the ones before. */
const WARM_UP = 5
const EXPORTS = 20
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
      // Each file has 23 MiB. What is not collected yet differs from one to the next: the least of several counts.
      const grown = Math.min(...held.slice(EXPORTS / 2)) - Math.min(...held.slice(WARM_UP, EXPORTS / 2))
      assert.ok(grown < 1.5 * 23 * MIB, held.map(bytes => Math.round(bytes / MIB)).join(' '))
    } finally {
      await service.close()
    }
  })
})
