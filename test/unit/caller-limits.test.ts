import assert from 'node:assert/strict'
import type { CallerLimits, ProjectRecord } from 'foldgate'
import { callableMethods, callsAll, mayCall, mayQuery, mayRead } from '#lib/call/caller.js'
import { readableCatalogue, readableWarnings } from '#lib/methods/readable-catalogue.js'
import { catalogue } from '../service/catalogue.js'

const ID = '5f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20'
const project: ProjectRecord = {
  ...{ projectId: ID, name: 'Mills', organization: 'north', sequence: 1 },
  ...{ completed: true, running: false },
}
const caller = (only?: CallerLimits, organizations = ['north']) => ({
  ...{ keyId: 'k', ownerId: 'ada', organizations },
  ...(only ? { only } : {}),
})

describe('the limits of a key', () => {
  it('each limit one thing, and nothing when they are absent', () => {
    for (const only of [undefined, {}]) {
      assert.equal(callableMethods(caller(only)).length, 4)
      assert.ok(callsAll(caller(only)) && mayRead(caller(only), project) && mayQuery(caller(only), 'amounts'))
    }
    const projects = caller({ projects: [ID] })
    assert.ok(callsAll(projects) && mayRead(projects, project) && mayQuery(projects, 'amounts'))
    const methods = caller({ methods: ['projects/query'] })
    assert.deepEqual(callableMethods(methods), ['projects/query'])
    assert.deepEqual(
      [callsAll(methods), mayCall(methods, 'projects/list'), mayRead(methods, project)],
      [false, false, true],
    )
    const relations = caller({ relations: ['amounts'] })
    assert.deepEqual([mayQuery(relations, 'amounts'), mayQuery(relations, 'entities')], [true, false])
  })

  it('allow nothing when they are empty', () => {
    const nothing = caller({ projects: [], methods: [], relations: [] })
    assert.deepEqual(callableMethods(nothing), [])
    assert.deepEqual([mayRead(nothing, project), mayQuery(nothing, 'amounts')], [false, false])
    assert.deepEqual(readableCatalogue(nothing, catalogue).summaries, [])
  })

  it('add no project to those of the organizations', () => {
    assert.equal(mayRead(caller({ projects: [ID] }, ['south']), project), false)
  })

  it('leave of the catalogue what the key can read, and keep it as it is without limits', () => {
    assert.equal(readableCatalogue(caller(), catalogue), catalogue)
    assert.equal(readableCatalogue(caller({ projects: [] }), catalogue), catalogue)
    const { relations, summaries } = readableCatalogue(caller({ relations: ['amounts', 'unheard_of'] }), catalogue)
    assert.deepEqual(
      summaries.map(({ name }) => name),
      ['amounts'],
    )
    assert.ok(relations.has('entities')) // what folds are made of stays known
    assert.deepEqual(relations.get('amounts')?.references, {})
    assert.deepEqual(catalogue.relations.get('amounts')?.references, { entity_key: 'entities.entity_key' })
  })

  it('leave of the warnings of sealing those that tell of nothing else', () => {
    const manifest = {
      tables: [{ name: 'amounts' }, { name: 'entities' }],
      warnings: [
        { table: 'amounts', column: 'amount', message: 'is below 0' },
        { table: 'amounts', column: 'entity_key', message: 'is not in entities.entity_key' },
        { table: 'entities', message: 'is empty' },
      ],
    }
    const told = (only?: CallerLimits) =>
      readableWarnings(caller(only), manifest as never).map(({ message }) => message)
    assert.equal(told().length, 3)
    assert.deepEqual(told({ relations: ['amounts'] }), ['is below 0'])
  })
})
