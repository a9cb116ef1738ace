import assert from 'node:assert/strict'
import { directoryExports, duckdbEngine, memoryQuota } from 'foldgate'
import { mcpEndpoint } from 'foldgate/mcp'
import { checkCatalogue, fromArrow, fromCsv, fromParquet, fromRows, openSealer } from 'foldgate/sealing'
import { signToken, tokenKeys } from 'foldgate/tokens'
import { serveWebSocket } from 'foldgate/ws'
import { explorePage } from 'foldgate-explore'
import { fromPostgres } from 'foldgate-postgres'
import { s3ClusterFiles, s3Exports, s3Snapshots } from 'foldgate-s3'
import { trinoEngine } from 'foldgate-trino'

/** Calls with an option, each with the name that is meant. */
const CALLS: Record<string, [call: (options: never) => unknown, wrong: object, meant: string]> = {
  duckdbEngine: [duckdbEngine, { folder: 'engine', connection: 1 }, 'connections'],
  guard: [guard => duckdbEngine({ folder: 'engine', guard }), { function: [] }, 'functions'],
  memoryQuota: [memoryQuota, { calls: 1, window: 1 }, 'windows'],
  directoryExports: [options => directoryExports('exports', options), { retentionsMs: 1 }, 'retentionMs'],
  s3Snapshots: [s3Snapshots, { buckets: 'b' }, 'bucket'],
  cache: [cache => s3Snapshots({ cache } as never), { folder: 'f', byte: 1 }, 'bytes'],
  s3Exports: [s3Exports, { timeoutsMs: 1 }, 'timeoutMs'],
  s3ClusterFiles: [s3ClusterFiles, { locations: 's3://b' }, 'location'],
  fromPostgres: [options => fromPostgres({} as never, 'SELECT 1 AS n', options), { timeout_ms: 1 }, 'timeoutMs'],
  fromRows: [options => fromRows([], options), { isOrderd: true }, 'isOrdered'],
  fromCsv: [options => fromCsv([], options), { hasEmptyTexts: true }, 'hasEmptyText'],
  fromParquet: [options => fromParquet([], options), { ordered: true }, 'isOrdered'],
  fromArrow: [options => fromArrow([], options), { isorderd: true }, 'isOrdered'],
  trinoEngine: [trinoEngine, { URL: 'https://trino' }, 'url'],
  serveWebSocket: [options => serveWebSocket({} as never, {} as never, options), { maxInflights: 1 }, 'maxInFlight'],
  explorePage: [explorePage, { titel: 'Data' }, 'title'],
  mcpEndpoint: [mcpEndpoint, { origin: [] }, 'origins'],
  tokenKeys: [tokenKeys, { jwk: 'https://id.example' }, 'jwks'],
  signToken: [signToken, { organizations: 'north' }, 'organization'],
  openSealer: [openSealer, { sandboxes: 'off' }, 'sandbox'],
  checkCatalogue: [options => checkCatalogue({} as never, options), { onnotes: () => {} }, 'onNote'],
}

describe('an option that does not exist', () => {
  for (const [name, [call, wrong, meant]] of Object.entries(CALLS))
    it(`of ${name} is a TypeError that names the nearest one that does`, async () => {
      const message = new RegExp(`^${name} has no option \\w+: did you mean ${meant}\\?$`)
      await assert.rejects(async () => await call(wrong as never), { name: 'TypeError', message })
    })

  it('is no option whose value is undefined, and options are an object', () => {
    assert.ok(mcpEndpoint({ somethingElse: undefined } as never))
    assert.throws(() => mcpEndpoint('origins' as never), { message: 'mcpEndpoint takes an object with options' })
  })

  it('is a TypeError without a name when none is near', () => {
    assert.throws(() => mcpEndpoint({ somethingElse: true } as never), {
      message: 'mcpEndpoint has no option somethingElse',
    })
  })
})
