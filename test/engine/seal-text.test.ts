import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { defineCatalogue, defineTables, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, SealError } from 'foldgate/sealing'
import { PACKAGE } from '../service/service.js'

const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  relations: defineTables('entities', 'notes'),
})
/** Replaced in files by `BYTES`, which have the same length and are not UTF-8. */
const PLACEHOLDER = 'QZQZ'
const BYTES = Buffer.from([0xf0, 0x28, 0x8c, 0xbc])

/** Replaces the placeholder in a file by the bytes. */
async function spoil(path: string): Promise<void> {
  const file = await readFile(path)
  for (let at = file.indexOf(PLACEHOLDER); at >= 0; at = file.indexOf(PLACEHOLDER)) BYTES.copy(file, at)
  await writeFile(path, file)
}

describe('sealing text that is not UTF-8', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-text-'))
  })
  after(() => rm(folder, { recursive: true }))

  async function refusal(name: string, write: (path: string) => Promise<unknown>): Promise<string> {
    const source = await mkdtemp(join(folder, 'tables-'))
    await writeFile(join(source, 'entities.csv'), PACKAGE['entities.csv'])
    await write(join(source, name))
    await spoil(join(source, name))
    const snapshots = directorySnapshots(join(folder, 'snapshots'))
    await mkdir(join(folder, 'snapshots'), { recursive: true })
    const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
    try {
      const sealing = sealer.seal({ projectId: randomUUID(), assessmentId: 'a', tables: fromFolder(source) })
      const cause = await sealing.then(
        () => assert.fail('it was sealed'),
        (error: unknown) => error,
      )
      assert.ok(cause instanceof SealError, String(cause))
      const left = (await readdir(join(folder, 'snapshots'))).filter(entry => !entry.startsWith('.'))
      assert.deepEqual(left, [])
      return cause.message
    } finally {
      await sealer.close()
    }
  }

  it('is refused in a CSV, with its line', async () => {
    const message = await refusal('notes.csv', path => writeFile(path, `note\nfine\n${PLACEHOLDER}\n`))
    assert.equal(
      message,
      'notes: line 3: it is not UTF-8, but perhaps Latin-1 or Windows-1252: save it as CSV UTF-8 with commas',
    )
  })

  for (const [what, select] of [
    ['a value', `SELECT '${PLACEHOLDER}' AS note UNION ALL SELECT 'fine'`],
    [
      'one of many values',
      `SELECT CASE WHEN i = 70000 THEN '${PLACEHOLDER}' ELSE 'a' || i END AS note FROM range(80000) t(i)`,
    ],
    ['a list', `SELECT ['${PLACEHOLDER}'] AS note`],
    ['a struct', `SELECT {'a': '${PLACEHOLDER}'} AS note`],
    ['a map', `SELECT MAP {'${PLACEHOLDER}': 1} AS note`],
    ['JSON', `SELECT '"${PLACEHOLDER}"'::JSON AS note`],
    ['the name of a column', `SELECT 1 AS ${PLACEHOLDER}`],
  ] as const) {
    it(`is refused in ${what} of a Parquet file`, async () => {
      const message = await refusal('notes.parquet', async path => {
        const instance = await DuckDBInstance.create(':memory:')
        const connection = await instance.connect()
        await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, COMPRESSION uncompressed)`)
        instance.closeSync()
      })
      assert.equal(message, 'notes: it cannot be read: it holds text that is not UTF-8')
    })
  }
})
