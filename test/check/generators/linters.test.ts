import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeApi } from '#lib/description/describe-api.js'
import { wordsFor } from '#lib/words.js'
import { install, installNpm, NPM, run } from './tools.js'

const LINTERS = fileURLToPath(new URL('./linters/', import.meta.url))

/** The only findings that stay: the tool, the document, the rule and the places; and why they stay. */
const ACCEPTED = [
  // JSON-RPC answers 200 whether a call succeeds or fails.
  [/^Redocly openapi.json operation-4xx-response #\/paths\/~1public~1v1~1json-rpc\/post\/responses$/, 1],
  // The rule is that of OpenAPI 3.0; since 3.1, the array of a bearer scheme lists the roles that a caller needs.
  [/^Spectral openapi.json oas3-operation-security-defined #\/paths\/.+\/post\/security\/0\/ApiKey\/0$/, 3],
  // The members x-params, x-answer and x-errors refer to them, but Redocly reads no extensions.
  [/^Redocly openrpc.json no-unused-components #\/components\/schemas\/(\w+Data|\w+Params|RpcId)$/, 15],
] as const

describe('the descriptions are taken by', function () {
  this.timeout(300_000)
  let folder: string
  let commands: string | null
  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-linters-'))
    commands = await install('the linters of descriptions', () => installNpm(folder, [...NPM.linters, ...NPM.openrpc]))
    if (!commands) return this.skip()
    await cp(LINTERS, folder, { recursive: true })
    for (const [name, document] of describeApi('https://data.foldgate.test', wordsFor({ hierarchy: {} })))
      await writeFile(join(folder, name), JSON.stringify(document))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('Redocly and Spectral, with no finding that is not explained here', async () => {
    const printed = await run(process.execPath, ['lint.mjs', 'openapi.json', 'openrpc.json'], folder)
    const found = (JSON.parse(printed) as string[][]).map(finding => finding.join(' '))
    for (const [pattern, times] of ACCEPTED) {
      assert.equal(found.filter(finding => pattern.test(finding)).length, times, `${pattern} is no longer found`)
    }
    assert.deepEqual(
      found.filter(finding => !ACCEPTED.some(([pattern]) => pattern.test(finding))),
      [],
    )
  })

  it("OpenRPC's own parser and validator", async () => {
    const printed = await run(process.execPath, ['openrpc.mjs'], folder)
    assert.deepEqual(JSON.parse(printed), {
      valid: true,
      methods: ['projects/list', 'projects/describe', 'projects/query', 'projects/export', 'rpc.discover'],
    })
  })

  it("OpenRPC's generator, which writes a function per method that takes required params first", async () => {
    const client = { type: 'client', language: 'typescript', name: 'foldgate' }
    const config = { openrpcDocument: 'openrpc.json', outDir: 'client', components: [client] }
    await writeFile(join(folder, 'generator.json'), JSON.stringify(config))
    await run(join(commands ?? '', 'open-rpc-generator'), ['generate', '-c', 'generator.json'], folder)
    const text = await readFile(join(folder, 'client/client/typescript/src/index.ts'), 'utf8')
    const [, written] = /export type ProjectsQuery = \((.*?)\) => Promise<RowList>;/.exec(text) ?? []
    assert.equal(
      written,
      'projectId: ProjectId, sql: Sql, entityId?: EntityId, ownershipView?: OwnershipView, page?: PageParams, ' +
        'parameters?: Parameters, include?: Include, dryRun?: DryRun, snapshot?: Snapshot',
    )
  })
})
