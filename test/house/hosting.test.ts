import assert from 'node:assert/strict'
import { access, readdir, readFile } from 'node:fs/promises'
import { blocksOf } from './documents.js'

const ROOT = new URL('../../', import.meta.url)
/** Folders of code that is run: the examples, and the tests that act as hosts. */
const RUN = ['examples/', 'test/check/hosts/', 'test/check/contracts/']
const MOUNTS = [
  'node-http.ts',
  'express.ts',
  'fastify.ts',
  'koa.ts',
  'nest.ts',
  'websocket.ts',
  'fetch.ts',
  'next/route.ts',
  'next/analytics.ts',
]

/** The code without indentation. */
const flat = (text: string) =>
  text
    .split('\n')
    .map(line => line.trim())
    .join('\n')

describe('docs/hosting.md', () => {
  it('contains only code from files that are run', async () => {
    const files = await Promise.all(
      RUN.map(async folder => {
        const names = await readdir(new URL(folder, ROOT), { recursive: true })
        const sources = names.filter(name => name.endsWith('.ts'))
        return Promise.all(sources.map(name => readFile(new URL(folder + name, ROOT), 'utf8')))
      }),
    )
    const run = files.flat().map(flat)
    const blocks = (await blocksOf('docs/hosting.md')).filter(({ language }) => language === 'ts')
    assert.ok(blocks.length >= 14)
    for (const { code } of blocks)
      assert.ok(
        run.some(source => source.includes(flat(code.trimEnd()))),
        code,
      )
  })

  it('links to every mount, and only to files that exist', async () => {
    const text = await readFile(new URL('docs/hosting.md', ROOT), 'utf8')
    const named = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path ?? '')
    for (const path of named) await access(new URL(`docs/${path}`, ROOT))
    for (const mount of MOUNTS) assert.ok(named.includes(`../examples/${mount}`), mount)
  })

  it('has mount examples of at most 60 lines', async () => {
    for (const mount of MOUNTS) {
      const lines = (await readFile(new URL(`examples/${mount}`, ROOT), 'utf8')).trimEnd().split('\n').length
      assert.ok(lines <= 60, `${mount} has ${lines}`)
    }
  })
})
