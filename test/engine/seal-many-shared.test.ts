import assert from 'node:assert/strict'
import { join } from 'node:path'
import { defineCatalogue, defineTable } from 'foldgate'
import { fromRows, openSealer } from 'foldgate/sealing'
import { sellingSealer } from './selling.js'

describe('tables that are the same for many tenants', () => {
  const selling = sellingSealer()
  const projects = new Map([
    ['ants', '7b0f0c52-5c3b-4a64-8a2f-0d5f3e700001'],
    ['bees', '7b0f0c52-5c3b-4a64-8a2f-0d5f3e700002'],
  ])

  it('have their warnings in the snapshot of each', async () => {
    const catalogue = defineCatalogue({
      relations: [
        defineTable({ name: 'orders', columns: { id: 'BIGINT' } }),
        defineTable({ name: 'rates', columns: { rate: 'DOUBLE' }, ranges: { rate: { most: 1 } }, warnings: ['rate'] }),
      ],
    })
    const folder = join(selling.scratch.path, 'warned')
    const sealer = await openSealer({ catalogue, snapshots: selling.snapshots, folder })
    try {
      const request = () => {
        const orders = fromRows([
          { tenant: 'ants', id: 1 },
          { tenant: 'bees', id: 2 },
        ])
        const tables = { orders, rates: fromRows([{ rate: 0.5 }, { rate: 7 }]) }
        return { tables, by: 'tenant', shared: ['rates'], projects }
      }
      const { sealed } = await sealer.sealMany(request())
      const warning = { table: 'rates', column: 'rate', message: 'row 2: "7" is above 1', rows: 1 }
      const expected = [
        ['ants', [warning]],
        ['bees', [warning]],
      ]
      assert.deepEqual(sealed.map(({ key, warnings }) => [key, warnings]).sort(), expected)
      // The host refuses an outcome that says that the process of a check has written a table.
      const { checked, failed } = await sealer.checkMany(request())
      assert.deepEqual(checked.map(({ key, warnings }) => [key, warnings]).sort(), expected)
      assert.deepEqual(failed, [])
    } finally {
      await sealer.close()
    }
  })
})
