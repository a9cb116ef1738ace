import assert from 'node:assert/strict'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { CLIENT, MISTAKES } from '../../description/client.js'
import { KEYS, PROJECT, type Service, sharedService } from '../../service/service.js'

describe('a client generated from the OpenAPI document', () => {
  let service: Service
  let folder: string

  before(async () => {
    service = await sharedService()
    folder = await mkdtemp(join(tmpdir(), 'foldgate-client-'))
    await symlink(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
    const types = await openapiTS(new URL(`${service.url}/public/v1/openapi.json`), { defaultNonNullable: false })
    const wrong = [
      "import createClient from 'openapi-fetch'",
      "import type { paths } from './api.js'",
      'const client = createClient<paths>()',
      ...MISTAKES.map(call => `void ${call}`),
    ]
    await Promise.all([
      writeFile(join(folder, 'package.json'), '{ "type": "module" }'),
      writeFile(join(folder, 'api.ts'), astToString(types)),
      writeFile(join(folder, 'client.ts'), CLIENT),
      writeFile(join(folder, 'wrong.ts'), wrong.join('\n')),
    ])
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('compiles under the strictest settings, and refuses what the document does not allow', () => {
    const program = ts.createProgram(
      ['client.ts', 'wrong.ts'].map(name => join(folder, name)),
      {
        strict: true,
        noUncheckedIndexedAccess: true,
        noImplicitOverride: true,
        noEmit: true,
        skipLibCheck: true,
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        types: ['node'],
        typeRoots: [join(folder, 'node_modules/@types')],
      },
    )
    const found = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
      const line = file?.getLineAndCharacterOfPosition(start).line ?? 0
      const name = file?.fileName.split('/').at(-1)
      return { name, line, text: ts.flattenDiagnosticMessageText(messageText, ' ') }
    })
    assert.deepEqual(
      found.filter(({ name }) => name !== 'wrong.ts'),
      [],
    )
    const refused = new Set(found.map(({ line }) => MISTAKES[line - 3]))
    assert.deepEqual([...refused], MISTAKES)
  }).timeout(60_000)

  it('calls the service', async () => {
    const { run } = (await import(pathToFileURL(join(folder, 'client.ts')).href)) as {
      run(baseUrl: string, key: string, projectId: string): Promise<Record<string, unknown>>
    }
    const { bytes, ...rest } = await run(service.url, KEYS.north, PROJECT)
    assert.deepEqual(rest, {
      states: ['computed', 'computed'],
      columns: ['item', 'total'],
      rows: [{ item: 'land' }, { item: 'water' }],
      rule: 'one-select',
      answered: 7,
      formats: ['3.1.0', '1.3.2'],
    })
    const [read, told] = bytes as [number, number]
    assert.ok(read > 100)
    assert.equal(read, told)
  })
})
