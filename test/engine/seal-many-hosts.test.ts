import assert from 'node:assert/strict'
import { join } from 'node:path'
import { fromRows, openSealer, type SealManyRequest } from 'foldgate/sealing'
import { sellingSealer, selling as shop } from './selling.js'

const projectOf = (at: number) => `7b0f0c52-5c3b-4a64-8a2f-0d5f3e6f${String(at).padStart(4, '0')}`

describe('what a host does while many tenants are sealed', () => {
  const selling = sellingSealer()
  const order = (tenant: string) => ({ tenant, id: 1, note: null, total: 1 })
  const tables = (...keys: string[]) => ({
    orders: fromRows(keys.map(order)),
    lines: fromRows([]),
    products: fromRows([]),
  })
  const projects = new Map(['ants', 'bees', 'cats', 'dogs'].map((key, at) => [key, projectOf(at)]))
  const sealMany = (changed: Partial<SealManyRequest>) =>
    selling.sealer.sealMany({
      ...{ tables: tables('ants', 'bees'), by: 'tenant', shared: ['products'], projects },
      ...changed,
    })

  it('seals on when the host fails to take what it is told', async () => {
    let calls = 0
    const onOutcome = () => {
      calls += 1
      throw new Error('of the host')
    }
    const { sealed, failed, empty } = await sealMany({ onOutcome })
    assert.deepEqual([sealed.length, failed.length, empty.length, calls], [2, 0, 2, 4])
    const rejecting = (async () => onOutcome()) as () => void
    assert.equal((await sealMany({ onOutcome: rejecting })).sealed.length, 2)
  })

  it('refuses two tenants of one project', async () => {
    const projects = new Map(['ants', 'bees'].map(key => [key, projectOf(0)]))
    await assert.rejects(sealMany({ projects }), {
      name: 'TypeError',
      message: 'the keys "ants" and "bees" are of one project: give each one of its own',
    })
  })

  it('tells that the sealer was closed, instead of what has ended with it', async () => {
    const { scratch, snapshots } = selling
    const sealer = await openSealer({ catalogue: shop, snapshots, folder: join(scratch.path, 'closing') })
    let closing: Promise<void> | null = null
    const errors: unknown[] = []
    const keys = Array.from({ length: 50 }, (_, at) => `tenant ${at}`)
    const sealing = sealer.sealMany({
      tables: tables(...keys),
      ...{ by: 'tenant', shared: ['products'] },
      projects: new Map(keys.map((key, at) => [key, projectOf(200 + at)])),
      onOutcome: outcome => {
        closing ??= sealer.close()
        if ('error' in outcome) errors.push(outcome.error)
      },
    })
    await assert.rejects(sealing, { name: 'SealerError', reason: 'closed' })
    await closing
    for (const error of errors) assert.deepEqual(String(error), 'SealerError: The sealer is closed.')
    assert.ok(errors.length > 0)
  })
})
