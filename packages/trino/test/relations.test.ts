import assert from 'node:assert/strict'
import { type Catalogue, defineCatalogue, defineFold, defineTable } from 'foldgate'
import { planner } from '#trino/relations/plan.js'
import { SchemaNames } from '#trino/relations/schemas.js'

const snapshot = { projectId: 'p', snapshotId: 's', manifest: { rootId: 'r', tables: [] } }
const point = { snapshot, organization: 'o', entityId: null, ownershipView: 'net' } as never
const RECURSIVE = `
  WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 9) SELECT n FROM count`

/** A catalogue whose descriptions, types and SQL can differ. */
function defined({ about = 'A thing.', meaning = {}, type = 'DOUBLE', sql = 'SELECT 1 AS n' } = {}): Catalogue {
  return defineCatalogue({
    relations: [
      defineTable({ name: 'things', about, columns: { key: 'VARCHAR', size: { type, ...meaning } } }),
      defineFold({ name: 'fold_things', about, columns: { n: { type: 'INTEGER', ...meaning } }, reads: [], sql }),
    ],
  })
}

const schemaOf = (catalogue: Catalogue) => new SchemaNames(catalogue as never, {}, 'fg_').of(point).snapshot

describe('the relations of a catalogue in a cluster', () => {
  it('stay where they are when descriptions alone change, and are made anew with other types or SQL', () => {
    const known = schemaOf(defined())
    assert.equal(schemaOf(defined({ about: 'Something else.', meaning: { about: 'How many', unit: 'm' } })), known)
    assert.notEqual(schemaOf(defined({ type: 'FLOAT' })), known)
    assert.notEqual(schemaOf(defined({ sql: 'SELECT 2 AS n' })), known)
  })

  it('are computed by DuckDB where their SQL is recursive, unless the cluster is given other SQL', () => {
    const schemas = { snapshot: 's', build: 'b', view: 'p' }
    const made = (catalogue: Catalogue, folds = {}) =>
      planner(catalogue as never, folds, point, schemas)('fold_things').made.by
    assert.equal(made(defined()), 'fold')
    assert.equal(made(defined({ sql: RECURSIVE })), 'duckdb')
    assert.equal(made(defined({ sql: RECURSIVE }), { fold_things: 'SELECT 1 AS n' }), 'fold')
  })
})
