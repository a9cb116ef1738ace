import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { blocksOf } from '../../house/documents.js'
import { complaints, furnish } from '../documents/compile.js'

const PAGE = `
import { AnalyticsClientError, type Column, createClient, type Row } from 'foldgate/client'
const client = createClient({ url: location.origin, key: 'k', fetch: window.fetch, transport: 'json-rpc' })
const { body } = await client.download('x', { signal: new AbortController().signal })
const { relations } = await client.catalogue({ signal: new AbortController().signal })
const unit: string | undefined = relations[0]?.columns?.[0]?.unit
const shop = createClient<'treeless'>({ url: 'u', key: 'k', transport: { WebSocket } })
void [createClient({ url: 'u', key: () => 'k' }), createClient({ url: 'u', key: async () => 'k' })]
void [unit, shop.query({ projectId: 'p', sql: 'x', page: { limit: 1 } }), shop.rows({ projectId: 'p', sql: 'x' })]
void client.query({ projectId: 'p', sql: 'x', entityId: 'e', ownershipView: 'gross' })
const { snapshots = [] } = await client.describe({ projectId: 'p', include: ['snapshots'], snapshot: null })
const [sealedAt, kept]: string[] = [snapshots[0]?.sealedAt ?? '', snapshots[0]?.snapshot ?? '']
void [sealedAt, client.export({ projectId: 'p', sql: 'x', snapshot: kept }), shop.rows({ projectId: 'p', sql: 'x', snapshot: kept })]
const parameters = { a: 'x', b: { type: 'DATE[]', value: ['2026-01-01'] } }
const asked = { projectId: 'p', sql: 'SELECT $a', parameters }
const paged = await client.query<{ n: number }>({ ...asked, include: ['columns', 'total'], page: { limit: 1 } })
const [column, row] = [paged.columns[0]!, paged.items[0]!]
const typed: [string, string, number, number | undefined] = [column.name, column.type, row.n, paged.total]
const bare: string[] | null = (await shop.query(asked)).columnNames
const dry = await shop.query({ ...asked, dryRun: true })
const built: [boolean, string, never[]] = [dry.relations[0]!.built, dry.columns[0]!.type, dry.items]
const columns: Column[] = (await shop.export({ ...asked, include: ['columns'], format: 'csv' })).columns
const maybe: { include?: ('columns' | 'total')[] } = {}
const unsure: Column[] | undefined = (await client.query({ ...asked, ...maybe })).columns
void [typed, bare, built, columns, unsure, client.rows(asked)]
const text: Promise<string> = new Response(body).text()
const table = await client.readTable({ url: 'x', bytes: 1 })
document.title = String(table.numRows) + (await text)
for await (const row of client.rows({ projectId: 'p', sql: 'x' })) { const same: Row = row; void same }
try { await client.list() } catch (error) {
  if (!(error instanceof AnalyticsClientError)) throw error
  switch (error.class) {
    case 'NOT_READY': { const retry: boolean = error.data.retry; void retry; break }
    case 'INTERNAL': { const reference: string = error.data.reference; void reference; break }
    default: { const warned: string | undefined = error.data.warnings?.[0]?.path; void warned }
  }
}
`

/** The compiler refuses each line. */
const MISTAKES = [
  "createClient({ url: 'https://data.example' })",
  "createClient({ url: 'u', key: async () => null })",
  "createClient({ url: 'u', key: 'k', transport: 'grpc' })",
  "createClient({ url: 'u', key: 'k', transport: { WebSocket: Date } })",
  "client.query({ sql: 'SELECT 1' })",
  "client.query({ projectId: 'p', sql: 'SELECT 1', limit: 3 })",
  "client.query({ projectId: 'p', sql: 'SELECT 1', include: ['rows'] })",
  "client.query({ projectId: 'p', sql: 'SELECT 1', parameters: { a: { value: 1 } } })",
  "client.query({ projectId: 'p', sql: 'SELECT 1' }).then(({ columns }) => columns.length)",
  "client.export({ projectId: 'p', sql: 'SELECT 1', include: ['total'] })",
  "client.export({ projectId: 'p', sql: 'SELECT 1', dryRun: true })",
  "client.rows({ projectId: 'p', sql: 'SELECT 1', dryRun: true })",
  "treeless.query({ projectId: 'p', sql: 'SELECT 1', dryRun: true, entityId: 'e' })",
  "client.describe({ projectId: 'p', relation: 1 })",
  "client.describe({ projectId: 'p', include: ['columns'] })",
  "client.query({ projectId: 'p', sql: 'SELECT 1', snapshot: 1 })",
  "client.export({ projectId: 'p', sql: 'SELECT 1', ownershipView: 'half' })",
  "client.export({ projectId: 'p', sql: 'SELECT 1', page: {} })",
  'client.download(1)',
  'client.catalogue().then(({ tables }) => tables)',
  "treeless.query({ projectId: 'p', sql: 'SELECT 1', entityId: 'e' })",
  "treeless.export({ projectId: 'p', sql: 'SELECT 1', ownershipView: 'net' })",
  "createClient<'forest'>({ url: 'u', key: 'k' })",
  "client.list().then(({ items }) => items[0]?.state === 'done')",
  "new AnalyticsClientError({ code: 1, method: 'm', message: 'm', class: 'c' }).data.line",
]

describe('the types of the client', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-types-'))
    await furnish(folder)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const BROWSER = {
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }

  it('compile in a page, without the types of Node', async () => {
    assert.deepEqual(await complaints(folder, { 'page.ts': PAGE }, BROWSER), [])
  })

  it('refuse what the service refuses', async () => {
    const head = `import { AnalyticsClientError, createClient } from 'foldgate/client'\nconst client = createClient({ url: 'u', key: 'k' })\nconst treeless = createClient<'treeless'>({ url: 'u', key: 'k' })\n`
    const found = await complaints(folder, { 'mistakes.ts': head + MISTAKES.join('\n') }, BROWSER)
    assert.deepEqual([...new Set(found.map(({ line }) => MISTAKES[line - 3]))], MISTAKES)
  })

  it('compile with the code of the documentation, in Node', async () => {
    const blocks = (await blocksOf('docs/clients.md')).map(({ code }) => code)
    assert.ok(blocks.length >= 8)
    assert.deepEqual(await complaints(folder, { 'story.ts': blocks.join('\n') }), [])
  })
})
