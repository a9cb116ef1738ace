import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inflateSync } from 'node:zlib'
import { readFromRoot } from '../../house/documents.js'
import { NAMES } from './names.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

interface Page {
  ids: Set<string>
  links: string[]
}

/** The ids and the links of a page, with entities decoded. */
function readPage(html: string): Page {
  const values = (pattern: RegExp) => [...html.matchAll(pattern)].map(match => decodeEntities(match[1] ?? ''))
  return { ids: new Set(values(/\bid="([^"]+)"/g)), links: values(/<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]+)"/g) }
}

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, entity => ENTITIES[entity] ?? entity)
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

describe('the site of npm run docs', () => {
  let folder: string
  const pages = new Map<string, Page>()
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    // typedoc fails on any warning, such as a link to a name that is not exported.
    await promisify(execFile)(join(ROOT, 'node_modules', '.bin', 'typedoc'), ['--out', folder], { cwd: ROOT })
    for (const name of await readdir(folder, { recursive: true }))
      if (name.endsWith('.html')) pages.set(join(folder, name), readPage(await readFile(join(folder, name), 'utf8')))
  })
  after(() => rm(folder, { recursive: true }))

  it('has a page for each document, under its title, and leads to it', async () => {
    const { projectDocuments } = JSON.parse(await readFromRoot('typedoc.json')) as { projectDocuments: string[] }
    assert.ok(projectDocuments.length > 20)
    const [, packed = ''] = /"(.+)"/.exec(await readFile(join(folder, 'assets/navigation.js'), 'utf8')) ?? []
    const navigation = JSON.parse(inflateSync(Buffer.from(packed, 'base64')).toString()) as { text: string }[]
    const led = navigation.map(({ text }) => text)
    for (const document of projectDocuments) {
      const [, title = ''] = /^# (.+)$/m.exec(await readFromRoot(document)) ?? []
      const name = document.replace(/^docs\/|\.md$/g, '').replaceAll('/', '_')
      const page = await readFile(join(folder, 'documents', `${name}.html`), 'utf8')
      assert.ok(page.includes(`<title>${title} |`), document)
      assert.ok(led.includes(title), `${title} is not among ${led.join(', ')}`)
    }
  })

  it('has a page for each entry point, under its import name', () => {
    const found = [...pages.keys()].map(page => relative(folder, page))
    // `foldgate/internal` is not for readers.
    for (const entry of Object.keys(NAMES).filter(name => name !== 'foldgate/internal'))
      assert.ok(found.includes(`modules/${entry.replace('/', '_')}.html`), `${entry} is not among ${found.join(' ')}`)
  })

  it('has no dead links', () => {
    const dead: string[] = []
    let count = 0
    for (const [page, { links }] of pages) {
      for (const link of links.filter(link => !/^[a-z]+:/.test(link))) {
        const [path = '', anchor] = link.split('#').map(decodeURIComponent)
        const target = path === '' ? page : resolve(dirname(page), path)
        const ids = pages.get(target)?.ids
        if (!existsSync(target) || (anchor && ids && !ids.has(anchor))) dead.push(`${relative(folder, page)}: ${link}`)
        count += 1
      }
    }
    assert.deepEqual(dead, [])
    assert.ok(count > 1000)
  })
})
