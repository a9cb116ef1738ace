import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** What every installation of the library has. */
const INSTALLED = ['@duckdb/node-api', '@duckdb/node-bindings', 'lz4-napi', 'yazl']
const SCRIPT = `
import { DuckDBInstance } from '@duckdb/node-api'
import { exportFile } from './dist/duckdb/child/write-export.js'
const connection = await (await DuckDBInstance.create(':memory:')).connect()
const settings = { own: process.argv[2], threads: 1, spillBytes: 1e9 }
const job = { statement: { sql: 'SELECT 1 AS a', values: [] }, maxBytes: 1e9, metadata: { a: 'b' }, escapesFormulas: false }
const told = {}
for (const format of ['arrow', 'csv'])
  told[format] = await exportFile(connection, { ...job, format, file: 'a' }, settings, new AbortController().signal).then(
    ({ rows }) => rows,
    ({ failure }) => failure,
  )
process.stdout.write(JSON.stringify(told))`

describe('an installation without the packages for Arrow', () => {
  it('refuses Arrow in words of its own, and writes other formats', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    try {
      await cp(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
      await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
      for (const name of INSTALLED) {
        const path = join(folder, 'node_modules', name)
        await mkdir(dirname(path), { recursive: true })
        await symlink(join(ROOT, 'node_modules', name), path)
      }
      await writeFile(join(folder, 'script.mjs'), SCRIPT)
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'script.mjs'), folder])
      const { arrow, csv } = JSON.parse(stdout) as { arrow: { kind: string; text: string }; csv: number }
      const text = 'This service writes no files of the format arrow: choose another one.'
      assert.deepEqual([arrow.kind, arrow.text, csv], ['format', text, 1])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
