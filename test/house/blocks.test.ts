import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blocksOf, filesOfRepository, readFromRoot } from './documents.js'

/** Where files of the repository are, for readers of a tarball that does not have them. */
const REPOSITORY = 'https://github.com/foldgate/foldgate/blob/main/'
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Care {
  /** A document, or a folder of documents with a slash at its end. */
  document: string
  language: string
  /** The heading above the block; without it, all blocks of the document. */
  below?: string
  /** The test that compiles or runs the block. */
  by: string
}

const CARE: readonly Care[] = [
  ...['js', 'json', 'sh'].map(language => ({
    document: 'README.md',
    language,
    below: 'Serve a shop',
    by: 'test/check/documents/readme.test.ts',
  })),
  { document: 'README.md', language: 'sh', below: 'The demo', by: 'test/check/documents/readme.test.ts' },
  { document: 'README.md', language: 'sh', below: 'The command', by: 'test/check/documents/readme.test.ts' },
  { document: 'server/README.md', language: 'sh', below: 'foldgate-server', by: 'test/check/package/package.test.ts' },
  ...['Get the package', 'Serve two tables'].map(below => ({
    document: 'docs/guides/begin.md',
    language: 'sh',
    below,
    by: 'test/check/package/begin.test.ts',
  })),
  {
    document: 'docs/guides/begin.md',
    language: 'json',
    below: 'Serve two tables',
    by: 'test/check/package/begin.test.ts',
  },
  ...['js', 'ts'].map(language => ({ document: 'docs/guides/', language, by: 'test/house/guides.test.ts' })),
  { document: 'docs/clients.md', language: 'ts', by: 'test/check/client/docs.test.ts' },
  { document: 'docs/operate.md', language: 'sh', below: 'Install', by: 'test/house/install.test.ts' },
  { document: 'docs/operate.md', language: 'json', below: 'Limits', by: 'test/server/config.test.ts' },
  { document: 'docs/operate.md', language: 'json', below: 'Users with tokens', by: 'test/server/tokens.test.ts' },
  ...[
    { language: 'sh', below: 'A shop' },
    { language: 'json', below: 'A shop' },
    { language: 'sh', below: 'On the server' },
  ].map(block => ({ document: 'examples/shop/README.md', ...block, by: 'test/check/shop/host.test.ts' })),
  {
    document: 'examples/assessed/README.md',
    language: 'sh',
    below: 'Assessed projects',
    by: 'test/check/package/package.test.ts',
  },
  ...['sh', 'json'].map(language => ({
    document: 'examples/refresh/README.md',
    language,
    below: 'From a database to snapshots, every five minutes',
    by: 'test/check/refresh/documents.test.ts',
  })),
  {
    document: 'docs/guides/refreshing.md',
    language: 'yaml',
    below: 'How often',
    by: 'test/check/refresh/documents.test.ts',
  },
  {
    document: 'docs/operate.md',
    language: 'sh',
    below: 'A catalogue of your own',
    by: 'test/check/server/check-catalogue.test.ts',
  },
  {
    document: 'docs/servers.md',
    language: 'sh',
    below: 'Move from an embedded store to PostgreSQL',
    by: 'test/check/servers/move.test.ts',
  },
  ...['Back up', 'Restore'].map(below => ({
    document: 'docs/operate.md',
    language: 'sh',
    below,
    by: 'test/check/server/backup.test.ts',
  })),
]

describe('the code blocks of the documents', () => {
  it('are each compiled or run by a test', async () => {
    const documents = await filesOfRepository('.md')
    assert.ok(documents.length >= 10)
    const cared = new Map(CARE.map(care => [care, 0]))
    for (const document of documents)
      for (const { language, below, line } of await blocksOf(document)) {
        const care = CARE.find(
          each =>
            (each.document.endsWith('/') ? document.startsWith(each.document) : document === each.document) &&
            each.language === language &&
            (each.below === undefined || each.below === below),
        )
        assert.ok(care, `${document}:${line}: no test reads this block, below "${below}"`)
        cared.set(care, (cared.get(care) ?? 0) + 1)
      }
    for (const [{ document, below }, blocks] of cared)
      assert.ok(below === undefined ? blocks > 1 : blocks > 0, `${document} has no block below "${below}"`)
  })

  it('have tests that read them', async () => {
    for (const { document, below, by } of CARE) {
      const test = await readFromRoot(by)
      assert.ok(test.includes(`'${document}'`), `${by} does not read ${document}`)
      assert.ok(below === undefined || test.includes(`'${below}'`), `${by} does not read the block below "${below}"`)
    }
  })
})

describe('the links in the documents', () => {
  /** The anchor of a heading. */
  const anchor = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-')

  it('lead to files and headings that exist', async () => {
    for (const document of await filesOfRepository('.md')) {
      const text = (await readFromRoot(document)).replace(/```[\s\S]*?```/g, '')
      for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        const [path = '', heading] = link.split('#')
        if (/^https?:/.test(link) && !path.startsWith(REPOSITORY)) continue
        const own = path.startsWith(REPOSITORY) ? path.slice(REPOSITORY.length) : join(dirname(document), path)
        const target = path === '' ? document : normalize(own)
        assert.ok(existsSync(join(ROOT, target)), `${document} links to ${link}`)
        if (heading === undefined) continue
        const headings = [...(await readFromRoot(target)).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => anchor(text))
        assert.ok(headings.includes(heading), `${document} links to ${link}`)
      }
    }
  })
})
