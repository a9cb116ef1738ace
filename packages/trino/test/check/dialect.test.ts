import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type Cluster, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'
import { type Answer, ON_DUCKDB, ON_TRINO, type Site, startSite } from './site.js'

const [, TABLE = ''] = readFileSync(new URL('../../../../docs/trino.md', import.meta.url), 'utf8').split(
  '| expression | Trino | DuckDB |',
)
/** Rows of the table of differences whose first cell is an expression. */
const DIFFERENCES = [...TABLE.matchAll(/^\| `([^|]+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, expression = '', trino, duckdb]) => ({ expression, trino, duckdb }),
)

/** What the table says of an answer. */
function written({ class: of, result }: Answer): string {
  if (of !== undefined) return of === 'INVALID_QUERY' ? 'an error' : of
  const value = result?.items?.[0]?.v
  if (value === '') return 'an empty string'
  return value === null ? 'NULL' : typeof value === 'string' ? `\`${value}\`` : JSON.stringify(value)
}

describe('plain SQL that answers differently', () => {
  let trino: Cluster
  let site: Site
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
    site = await startSite(trino)
    for (const project of [ON_TRINO, ON_DUCKDB]) await site.seal(project)
  })
  after(() => site?.close())

  for (const { expression, trino: onTrino, duckdb } of DIFFERENCES)
    it(`is ${expression}, as the document says`, async () => {
      const answers = [ON_TRINO, ON_DUCKDB].map(projectId =>
        site.call('projects/query', { projectId, sql: `SELECT ${expression} AS v` }),
      )
      assert.deepEqual((await Promise.all(answers)).map(written), [onTrino, duckdb])
    })

  it('is all that the document has', () => {
    for (const name of ['7 / 2', 'date_trunc', '+ INTERVAL', 'upper', '2.5 / 2'])
      assert.ok(
        DIFFERENCES.some(({ expression }) => expression.includes(name)),
        name,
      )
  })
})
