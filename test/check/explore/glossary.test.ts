import assert from 'node:assert/strict'
import { folds } from '#server/catalogue/folds.js'
import { tables } from '#server/catalogue/tables.js'
import { meaningOf } from '#server/explore/script/glossary.js'

describe('the glossary of columns', () => {
  it('has every column of every table', () => {
    for (const { name, columns } of tables)
      for (const column of Object.keys(columns ?? {})) assert.ok(meaningOf(name, column), `${name}.${column}`)
  })

  it('has every name that a computed relation gives a column', () => {
    const visible = folds.filter(({ internal }) => !internal)
    const named = visible.flatMap(({ sql }) => [...sql.matchAll(/ AS (\w+)/g)].map(([, name = '']) => name))
    const isColumn = (name: string) => !/^(BIGINT|DOUBLE|DECIMAL)$/.test(name)
    for (const name of named.filter(isColumn)) assert.ok(meaningOf('', name), name)
    assert.ok(named.length > 5)
  })

  it('distinguishes columns of the same name, and does not know others', () => {
    assert.notEqual(meaningOf('fold_dependencies', 'score'), meaningOf('risk_rows', 'score'))
    for (const name of ['nobody', 'constructor', '__proto__', 'toString']) assert.equal(meaningOf('x', name), null)
  })
})
