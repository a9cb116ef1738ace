import assert from 'node:assert/strict'
import { PROJECT, type Service, sharedService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'

describe('projects/describe', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  it('lists every relation, folds first, and says what a row of a fold is', async () => {
    const { status, body } = await service.call('projects/describe', { projectId: PROJECT })
    assert.equal(status, 200)
    const relations = body.result?.relations ?? []
    assert.deepEqual(
      relations.map(relation => `${relation.kind} ${relation.name}`),
      [...VENDOR.folds.map(([name]) => `fold ${name}`), ...VENDOR.tables.map(name => `table ${name}`)],
    )
    for (const relation of relations) assert.equal('about' in relation, relation.kind === 'fold')
    assert.ok(!('columns' in (body.result ?? {})))
  })

  it('returns worked queries that run', async () => {
    const { body } = await service.call('projects/describe', { projectId: PROJECT })
    const examples = body.result?.examples ?? []
    assert.ok(examples.length > 0)
    for (const { question, sql } of examples) {
      assert.ok(question.endsWith('?'))
      assert.equal((await service.call('projects/query', { projectId: PROJECT, sql })).status, 200)
    }
  })

  it('returns the columns of a relation in order, with their SQL types', async () => {
    const columns = async (relation: string | null) =>
      (await service.call('projects/describe', { projectId: PROJECT, relation })).body.result?.columns
    for (const [relation, told] of Object.entries(VENDOR.columns))
      assert.deepEqual(
        await columns(relation),
        told.map(([name, type]) => ({ name, type })),
        relation,
      )
    assert.equal(await columns(null), undefined)
  })

  it('suggests the relation that was probably meant', async () => {
    const { body } = await service.call('projects/describe', { projectId: PROJECT, relation: VENDOR.fold.misspelt })
    assert.match(body.message ?? '', new RegExp(`"${VENDOR.fold.name}"`))
  })
})
