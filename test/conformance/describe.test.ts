import assert from 'node:assert/strict'
import { PROJECT, type Service, sharedService } from '../service/service.js'

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
      [
        ...[
          'fold_totals',
          'fold_pressures',
          'fold_risks',
          'risk_rows',
          'fold_dependencies',
          'dependency_rows',
          'dash_ipbes',
        ].map(name => `fold ${name}`),
        ...['entities', 'amounts', 'notes'].map(name => `table ${name}`),
      ],
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
    assert.deepEqual(await columns('fold_totals'), [
      { name: 'item', type: 'VARCHAR' },
      { name: 'total', type: 'DOUBLE' },
    ])
    assert.deepEqual(await columns('entities'), [
      { name: 'entity_key', type: 'VARCHAR' },
      { name: 'entity_id', type: 'UUID' },
      { name: 'parent_key', type: 'VARCHAR' },
      { name: 'ownership_share', type: 'DOUBLE' },
    ])
    assert.equal(await columns(null), undefined)
  })

  it('suggests the relation that was probably meant', async () => {
    const { body } = await service.call('projects/describe', { projectId: PROJECT, relation: 'fold_total' })
    assert.match(body.message ?? '', /"fold_totals"/)
  })
})
