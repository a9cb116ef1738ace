import assert from 'node:assert/strict'
import { defineCatalogue, defineTables } from 'foldgate'
import type { SnapshotStore } from 'foldgate/sealing'
import { FORMAT_VERSION } from '#lib/snapshots/manifest.js'
import type { Log } from '#server/operation/log.js'
import { tellingLackingTables } from '#server/snapshots/lacking-tables.js'

const { signal } = new AbortController()
const MOST = 10_000

describe('a snapshot that lacks tables of the catalogue', () => {
  it('is logged once, however many other projects are read, up to 10,000', async () => {
    const manifestOf = async (projectId: string, snapshotId: string) =>
      JSON.stringify({
        formatVersion: FORMAT_VERSION,
        projectId,
        snapshotId,
        sealedAt: '2026-01-01T00:00:00Z',
        tables: projectId === 'p' ? [] : [{ name: 'orders' }],
      })
    const port = { manifestOf } as unknown as SnapshotStore
    const logged: string[] = []
    const log = { warn: (_: object, text: string) => void logged.push(text) } as unknown as Log
    const telling = tellingLackingTables(port, defineCatalogue({ relations: defineTables('orders') }), log)
    const read = (projectId: string) => telling.manifestOf(projectId, '000001-a', signal)
    const others = async (count: number) => {
      for (let other = 0; other < count; other++) await read(`${other}`)
    }
    const lacking = () => logged.filter(text => text.includes('lacks tables of the catalogue (orders)')).length
    await read('p')
    await others(MOST - 1)
    await read('p')
    assert.equal(lacking(), 1)
    await others(MOST)
    await read('p')
    assert.equal(lacking(), 2)
  })
})
