import assert from 'node:assert/strict'
import type { EngineFailure, PointOfView } from 'foldgate/engine'
import { failureOf } from '#trino/protocol/trino-errors.js'
import { RelationBuilder } from '#trino/relations/builder.js'

const POINT = {} as PointOfView
/** How the SQL of a refused fold ends. */
const WRONG = 'AS (\nSELECT wrong\n)'
const SCHEMAS = { snapshot: 's', build: 'b', view: 'v' } as never

describe('a fold whose SQL a cluster of Trino refuses', () => {
  const fold = (name: string, sql: string, ...reads: object[]) =>
    ({ name, schema: 'b', made: { by: 'fold', sql, reads } }) as never
  /** A builder over a cluster that fails a statement with an error by its name, and the SQL that it was sent. */
  const building = (error: { errorName: string; errorType: string; message: string }) => {
    const sent: string[] = []
    const rows = async ({ sql }: { sql: string }) => {
      sent.push(sql)
      if (sql.endsWith(WRONG)) throw failureOf(error)
      return []
    }
    const builder = new RelationBuilder({ rows } as never, {} as never)
    const make = (relation: never) =>
      builder.show(POINT, SCHEMAS, relation).then(
        () => null,
        (cause: EngineFailure) => cause,
      )
    const tried = () => sent.filter(sql => sql.endsWith(WRONG)).length
    return { make, tried, forget: () => builder.forget('b') }
  }
  const REFUSED = {
    errorName: 'COLUMN_NOT_FOUND',
    errorType: 'USER_ERROR',
    message: "line 1:8: Column 'wrong' cannot be resolved",
  }

  it('names it and what the engine says, and is not tried again until its schema is forgotten', async () => {
    const { make, tried, forget } = building(REFUSED)
    const wrong = fold('bad', 'SELECT wrong')
    for (let count = 0; count < 3; count++) {
      const failure = await make(wrong)
      assert.equal(failure?.kind, 'relation')
      assert.match(failure?.message ?? '', /relation "bad" of the catalogue: Column 'wrong' cannot be resolved/)
    }
    assert.match((await make(fold('on_it', 'SELECT 1', wrong)))?.message ?? '', /"bad"/)
    assert.equal(tried(), 1)
    assert.equal(await make(fold('good', 'SELECT 1')), null)
    forget()
    await make(wrong)
    assert.equal(tried(), 2)
  })

  it('is tried again when the cluster fails, or lacks a grant', async () => {
    const passing = [
      { errorName: 'EXCEEDED_CLUSTER_MEMORY', errorType: 'INSUFFICIENT_RESOURCES', message: 'no memory' },
      { errorName: 'PERMISSION_DENIED', errorType: 'USER_ERROR', message: 'Access Denied' },
      { errorName: 'TABLE_NOT_FOUND', errorType: 'USER_ERROR', message: 'removed' },
      { errorName: 'SERVER_SHUTTING_DOWN', errorType: 'INSUFFICIENT_RESOURCES', message: 'ends' },
    ]
    for (const error of passing) {
      const { make, tried } = building(error)
      for (let count = 1; count <= 2; count++) {
        assert.notEqual((await make(fold('bad', 'SELECT wrong')))?.kind, 'relation', error.errorName)
        assert.equal(tried(), count)
      }
    }
  })
})
