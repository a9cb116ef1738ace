import assert from 'node:assert/strict'
import { access, readdir, readFile } from 'node:fs/promises'
import { ERROR_CLASSES, LIMITS } from 'foldgate'
import { additions } from '#server/input/installed.js'
import { ALL_SETTINGS } from '#server/settings/flags.js'
import { ALL_LIMITS } from '#server/settings/limits.js'
import type { SettingAddition } from '#server/settings/setting.js'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('the documents', () => {
  it('list exactly the settings of serve, as they are', async () => {
    const rows = (await read('docs/operate.md')).split('\n').filter(line => /^\| `--[a-z-]+ </.test(line))
    const ofPackages = (await additions<SettingAddition>()).flatMap(({ settings = [] }) => settings)
    const expected = [...ALL_SETTINGS, ...ofPackages].map(
      ({ flag, parser, variable, default: byDefault, about }) =>
        `| \`--${flag} <${parser.placeholder}>\` | \`${variable}\` | ${byDefault === null ? '' : `\`${byDefault}\``} | ${about} |`,
    )
    assert.deepEqual(rows, expected)
    const [, limits = ''] = (await read('docs/operate.md')).split('\n## Limits\n')
    assert.deepEqual(
      limits.split('\n## ')[0]?.match(/^\| `.*/gm),
      ALL_LIMITS.map(
        ({ name, parser, default: byDefault, about }) =>
          `| \`${name}\` | ${parser.placeholder} | ${byDefault === null ? '' : `\`${byDefault}\``} | ${about} |`,
      ),
    )
  })

  it('name files and rooms of the library that exist', async () => {
    const text = await read('docs/architecture.md')
    const named = [...text.matchAll(/`([a-z0-9-]+\/(?:[a-z0-9-]+\/)*(?:[a-z0-9-]+\.ts)?)`/g)].map(([, path]) => path)
    const others = ['lib/', 'outbox/', 'packages/', 'server/'] // folders elsewhere
    assert.ok(named.length > 30)
    for (const path of new Set(named))
      if (!others.includes(path as string))
        await access(
          new URL(/^(packages|server)\//.test(path ?? '') ? `../../${path}` : `../../lib/${path}`, import.meta.url),
        )
  })

  it('describe every room of the library', async () => {
    const rows = (await read('docs/architecture.md')).match(/^\| `[^|]*/gm) ?? []
    const entries = await readdir(new URL('../../lib/', import.meta.url), { withFileTypes: true })
    const rooms = entries.filter(entry => entry.isDirectory()).map(({ name }) => `\`${name}/\``)
    assert.deepEqual(
      rooms.filter(room => !rows.some(row => row.includes(room))),
      [],
    )
  })

  it('list every class with its code and status', async () => {
    const rows = (await read('docs/protocol.md')).match(/^\| [A-Z_]+ \| -?\d+ \| \d+ \|$/gm) ?? []
    const expected = Object.entries(ERROR_CLASSES).map(
      ([name, { code, status }]) => `| ${name} | ${code} | ${status} |`,
    )
    assert.deepEqual([...rows].sort(), expected.sort())
  })

  it('tell what a release brings in at most 120 lines', async () => {
    const [, ...releases] = (await read('CHANGELOG.md')).split(/^## /m)
    for (const release of releases) assert.ok(release.split('\n').length <= 120, release.split('\n')[0])
  })

  it('have the limits of the contract as defaults', () => {
    const MIB = 1024 * 1024
    const defaults = Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, limit.default]))
    assert.deepEqual(defaults, {
      queryTimeoutMs: 30_000,
      exportTimeoutMs: 120_000,
      buildTimeoutMs: 60_000,
      connectionWaitMs: 5_000,
      pageBytes: 4 * MIB,
      rowBytes: 4 * MIB,
      exportBytes: 1024 * MIB,
      exportBytesPerOwner: 20 * 1024 * MIB,
      exportBytesPerOrganization: 50 * 1024 * MIB,
      bodyBytes: MIB,
      ownerUnsentBytes: 64 * MIB,
      unsentBytes: 256 * MIB,
      stallTimeoutMs: 30_000,
      linkValidityMs: 900_000,
      linkMemoryMs: 86_400_000,
      dependencyTimeoutMs: 10_000,
    })
  })
})
