import assert from 'node:assert/strict'
import { filesOfRepository, readFromRoot } from '../../house/documents.js'
import { scratchFolder } from '../../server/command.js'
import { complaints, furnish } from './compile.js'
import { type Name, publicFace } from './face.js'

/** Declarations that the examples assume: every exported name, and what a host provides. */
const HOST = `
import type { AnalyticsApi, AnalyticsOptions, Caller, Catalogue, ExportPort, KeyPort, ProjectPort, SnapshotPort, UsagePort } from 'foldgate'
import type { Sealer, SnapshotManifest as Manifest } from 'foldgate/sealing'
import type { projectPortContract as projectChecks, usagePortContract as usageChecks } from 'foldgate-contracts'
type SubjectOf<Checks extends (make: any) => unknown> = Awaited<ReturnType<Parameters<Checks>[0]>>
declare global {
  type SnapshotManifest = Manifest
  const createServer: typeof import('node:http').createServer
  const randomUUID: typeof import('node:crypto').randomUUID
  const Koa: typeof import('koa')
  const WebSocketServer: typeof import('ws').WebSocketServer
  const S3Client: typeof import('@aws-sdk/client-s3').S3Client
  const pg: typeof import('pg')
  const RecordBatchReader: typeof import('apache-arrow').RecordBatchReader
  const sealer: import('foldgate/sealing').Sealer
  const server: import('node:http').Server
  const sealer: Sealer
  const api: AnalyticsApi
  const catalogue: Catalogue
  const keys: KeyPort
  const projects: ProjectPort
  const options: AnalyticsOptions
  const key: string
  const projectId: string
  function report(table: string, column: string | undefined, message: string): void
  function it(name: string, run: () => Promise<void>): void
  const makeSubject: () => SubjectOf<typeof projectChecks>
  class Database {
    keys: KeyPort
    projects: ProjectPort
    usage: UsagePort
    addKey(of: { ownerId: string; organizations: string[] }): { key: string; caller: Caller }
    revokeKey(keyId: string): void
    addProject(...project: Parameters<SubjectOf<typeof projectChecks>['add']>): Promise<string>
    usageOf(...keyId: Parameters<SubjectOf<typeof usageChecks>['read']>): ReturnType<SubjectOf<typeof usageChecks>['read']>
    close(): Promise<void>
  }
  const sessions: { find(cookie: string | null): Promise<{ token: string; company: string } | null> }
  class Archive {
    constructor(options?: { retentionMs: number })
    exports: ExportPort
    snapshots: SnapshotPort
    passTime(ms: number): void
    restart(): Archive
    seal(projectId: string, source: string): Promise<string>
    remove(projectId: string, snapshotId: string): Promise<void>
  }
`

/** The blocks of code in the comments of a file. */
function examplesOf(text: string): string[] {
  const found = text.matchAll(/^ *\* ```ts\n((?: *\*.*\n)*?) *\* ```$/gm)
  return [...found].map(([, block = '']) => block.replace(/^ *\* ?/gm, ''))
}

describe('the examples in the comments of the library', () => {
  const scratch = scratchFolder()
  before(() => furnish(scratch.path))

  it('compile, each on its own', async () => {
    const exported = [...publicFace()].flatMap(([entry, names]) =>
      names.filter(({ isValue }) => isValue).map((each: Name) => [entry, each.name] as const),
    )
    const globals = exported.map(([entry, name]) => `  const ${name}: typeof import('${entry}').${name}\n`)
    const files: Record<string, string> = { 'host.d.ts': `${HOST}${globals.join('')}}\n` }
    const written = new Map<string, string>()
    for (const path of (await filesOfRepository('.ts')).filter(file =>
      /^(lib|packages\/(?!trino)\w+\/src)\//.test(file),
    ))
      for (const example of examplesOf(await readFromRoot(path))) {
        const file = `example-${written.size}.ts`
        files[file] = `${example}\nexport {}\n`
        written.set(file, path)
      }
    assert.ok(written.size >= 20)
    const found = await complaints(scratch.path, files)
    assert.deepEqual(
      found.map(({ file, line, text }) => `${written.get(file) ?? file}, line ${line + 1} of an example: ${text}`),
      [],
    )
  })
})
