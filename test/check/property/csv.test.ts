import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, tableFiles } from 'foldgate/sealing'
import { tablesOf } from '../../stored.js'
import { readParquetRows } from '../../types/arrow.js'

const FILES = 60
const ENTITIES = 'entity_key,entity_id,parent_key,share\ngroup,00000000-0000-4000-8000-000000000001,,1\n'
const columns = { a: 'VARCHAR', b: 'VARCHAR', c: 'VARCHAR' }
const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'share' },
  relations: [
    defineTable({
      name: 'entities',
      columns: { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', share: 'DOUBLE' },
    }),
    ...Array.from({ length: FILES }, (_, n) => defineTable({ name: `t${n}`, columns })),
  ],
})

const piece = fc.constantFrom('x', ' ', '#', "'", '"', ',', '\n', '\r\n', '\r', 'é', '中', ';', '\\', '\t', '0')
const cell = fc.array(piece, { maxLength: 6 }).map(pieces => pieces.join(''))
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
const needsQuotes = (text: string) => /["\r\n,]/.test(text)
const row = fc.tuple(
  fc.tuple(cell, cell, cell),
  fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
  fc.constantFrom('\n', '\r\n', '\n\n', '\r\n\n'),
)
/** A file of RFC 4180 with rows of three texts, line ends of both kinds, and blank lines. */
const file = fc.array(row, { maxLength: 40 }).map(rows => ({
  cells: rows.map(([cells]) => cells),
  text: `a,b,c\n${rows
    .map(
      ([cells, quotes, end]) =>
        cells.map((text, at) => (quotes[at] || needsQuotes(text) ? quoted(text) : text)).join(',') + end,
    )
    .join('')}`,
}))

describe('CSV files of any content', () => {
  it('are sealed with every row and cell that they were written with', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-csv-'))
    const snapshots = directorySnapshots(join(folder, 'snapshots'))
    const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
    const files = fc.array(file, { minLength: FILES, maxLength: FILES })
    const property = fc.asyncProperty(files, async written => {
      for (const [n, { text }] of written.entries()) await writeFile(join(folder, `t${n}.csv`), text)
      const { manifest } = await sealer.seal({ projectId: randomUUID(), assessmentId: 'a', tables: fromFolder(folder) })
      const stored = new Map(manifest.tables.map(table => [table.name, tableFiles(table)[0]?.file ?? '']))
      const sealed = tablesOf(join(folder, 'snapshots'), manifest.projectId)
      for (const [n, { cells }] of written.entries()) {
        const rows = readParquetRows(await readFile(join(sealed, stored.get(`t${n}`) ?? '')))
        assert.deepEqual(
          rows.map(({ a, b, c }) => [a, b, c]),
          cells.map(row => row.map(cell => (cell === '' ? null : cell))),
        )
      }
    })
    try {
      await writeFile(join(folder, 'entities.csv'), ENTITIES)
      await fc.assert(property, { numRuns: 3, endOnFailure: true })
    } finally {
      await sealer.close()
      await rm(folder, { recursive: true })
    }
  })
})
