import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { blocksOf, filesOfRepository, readFromRoot } from './documents.js'

const ROOT = new URL('../../', import.meta.url)
const GUIDES = 'docs/guides/'
/** Folders of code that is run: the examples, and the tests that act as hosts. */
const RUN = ['examples/', 'test/check/hosts/', 'packages/contracts/test/check/']
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

const guides = async () => (await filesOfRepository('.md')).filter(file => file.startsWith(GUIDES))

describe('the guides', () => {
  it('contain only code from files that are run', async () => {
    const files = await Promise.all(
      RUN.map(async folder => {
        const names = await readdir(new URL(folder, ROOT), { recursive: true })
        const sources = names.filter(name => /\.[jt]s$/.test(name))
        return Promise.all(sources.map(name => readFile(new URL(folder + name, ROOT), 'utf8')))
      }),
    )
    const run = files.flat().map(flat)
    let blocks = 0
    for (const guide of await guides())
      for (const { code, language, line } of await blocksOf(guide)) {
        if (!['js', 'ts'].includes(language)) continue
        blocks += 1
        const isRun = run.some(source => source.includes(flat(code.trimEnd())))
        assert.ok(isRun, `${guide}:${line} is in no file of ${RUN.join(', ')}:\n${code}`)
      }
    assert.ok(blocks >= 40)
  })

  it('are listed by docs/hosting.md, all of them', async () => {
    const text = await readFromRoot('docs/hosting.md')
    for (const guide of await guides()) assert.ok(text.includes(`](guides/${guide.slice(GUIDES.length)})`), guide)
  })

  it('link to every mount, of at most 60 lines', async () => {
    const text = (await Promise.all((await guides()).map(readFromRoot))).join('\n')
    for (const mount of MOUNTS) {
      assert.ok(text.includes(`](../../examples/${mount})`), mount)
      const lines = (await readFromRoot(`examples/${mount}`)).trimEnd().split('\n').length
      assert.ok(lines <= 60, `${mount} has ${lines}`)
    }
  })
})
