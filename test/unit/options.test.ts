import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createAnalyticsApi,
  defineCatalogue,
  defineTable,
  directoryExports,
  directorySnapshots,
  duckdbEngine,
  memoryQuota,
} from 'foldgate'

const HIERARCHY = { table: 'entities', key: 'key', parent: 'parent', id: 'id', share: 'share' }
const entities = defineTable({ name: 'entities' })
const nothing = join(tmpdir(), 'foldgate-nothing')

/** Valid options, except for the `wrong` ones. */
function given(wrong: object) {
  return {
    baseUrl: 'https://data.example',
    secrets: ['a secret that is long enough for it'],
    catalogue: defineCatalogue({ hierarchy: HIERARCHY, relations: [entities] }),
    keys: { authenticate: async () => null },
    projects: { find: async () => null, list: async () => [] },
    snapshots: directorySnapshots(nothing),
    exports: { put: async () => {}, open: async () => null },
    engine: duckdbEngine({ folder: nothing }),
    ...wrong,
  }
}

const OPTIONS: [string, object, RegExp][] = [
  [
    'no address',
    { baseUrl: undefined },
    /baseUrl must be an http or https URL .* for instance https:\/\/data\.example$/,
  ],
  ['a path for an address', { baseUrl: '/analytics' }, /baseUrl must be an http or https URL/],
  ['no secrets', { secrets: undefined }, /secrets must be a list of at least one string, such as "openssl rand/],
  ['an empty list of secrets', { secrets: [] }, /secrets must be a list of at least one string/],
  ['a string instead of secrets', { secrets: 'x'.repeat(40) }, /secrets must be a list/],
  [
    'a secret from an empty environment',
    { secrets: [''] },
    /secrets\[0\] must have at least 32 characters, and has 0$/,
  ],
  [
    'a secret that is not set',
    { secrets: ['x'.repeat(32), undefined] },
    /secrets\[1\] must have at least 32 .* has 0$/,
  ],
  [
    'options for the query page',
    { explore: { title: 'Data' } },
    /explore must be what explorePage\(\) of foldgate-explore/,
  ],
  ['options for the entry point for agents', { mcp: { origins: [] } }, /mcp must be what mcpEndpoint\(\) of foldgate/],
  ['no catalogue', { catalogue: undefined }, /catalogue must be what defineCatalogue\(\) has made$/],
  ['an object as catalogue', { catalogue: { relations: [] } }, /catalogue must be what defineCatalogue\(\) has made/],
  ['no keys', { keys: undefined }, /keys must be a port with authenticate\(\)$/],
  ['a function for keys', { keys: async () => null }, /keys must be a port with authenticate\(\)$/],
  ['no projects', { projects: null }, /projects must be a port with find\(\) and list\(\)$/],
  ['half of projects', { projects: { find: async () => null } }, /projects must be a port with find\(\) and list\(\)$/],
  ['no snapshots', { snapshots: undefined }, /snapshots must be a port with list\(\) and open\(\)$/],
  ['no exports', { exports: undefined }, /exports must be a port with put\(\) and open\(\)$/],
  [
    'exports that expire before their links',
    { exports: { put: async () => {}, open: async () => null, retentionMs: 899_999 } },
    /exports keeps files for 899999 ms: its retentionMs must be at least limits\.linkValidityMs, which is 900000$/,
  ],
  ['numbers for a quota', { quota: { calls: 3 } }, /quota must be a port with take\(\)$/],
  ['a usage that records nothing', { usage: {} }, /usage must be a port with record\(\)$/],
  ['no engine', { engine: undefined }, /engine must be an engine, such as duckdbEngine/],
  ['options of an engine for one', { engine: { folder: nothing } }, /engine must be an engine, such as duckdbEngine/],
  [
    'a limit as a string',
    { limits: { pageBytes: '4MiB' } },
    /limits\.pageBytes must be a whole number above 0, not 4MiB$/,
  ],
  ['an unknown limit', { limits: { pages: 1 } }, /^limits has no option pages$/],
  ['an unknown option', { quotas: {} }, /^createAnalyticsApi has no option quotas: did you mean quota\?$/],
  ['an unknown contact', { contact: { mail: 'a@b.example' } }, /^contact has no option mail: did you mean email\?$/],
  [
    'an unknown option of CORS',
    { cors: { origins: '*', maxAgeSecond: 1 } },
    /^cors has no option maxAgeSecond: did you mean maxAgeSeconds\?$/,
  ],
  [
    'one origin instead of a list',
    { cors: { origins: 'https://a.example' } },
    /cors\.origins must be .*not "https:\/\/a\.exa/,
  ],
  ['no origins', { cors: {} }, /cors\.origins must be "\*" or a list of origins/],
]

describe('a mistake in the options', () => {
  for (const [what, wrong, message] of OPTIONS)
    it(`${what} is a TypeError that says how to correct it`, () => {
      assert.throws(
        () => createAnalyticsApi(given(wrong) as never),
        (error: unknown) => error instanceof TypeError && message.test(error.message),
      )
    })

  it('an invalid retention or quota is refused at once', () => {
    for (const retentionMs of ['1d', undefined, 0, Number.NaN])
      assert.throws(
        () => directoryExports(nothing, { retentionMs: retentionMs as never }),
        /retentionMs must be a whole/,
      )
    assert.throws(() => memoryQuota({} as never), /quota: calls must be a whole number above 0/)
  })

  it('a relation without a name and a hierarchy without a table are refused', () => {
    const nameless = () => defineCatalogue({ hierarchy: HIERARCHY, relations: [defineTable({} as never)] })
    assert.throws(nameless, /relation "undefined": a name is a-z, 0-9 and _/)
    assert.throws(
      () => defineCatalogue({ hierarchy: {}, relations: [entities] } as never),
      /hierarchy: "undefined" is not a table/,
    )
    assert.deepEqual(defineCatalogue({ hierarchy: HIERARCHY, relations: [entities] }).examples, [])
  })
})

describe('a mount below a path', () => {
  it('answers paths below its own, and none below another path of the same length', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    const options = given({ baseUrl: 'https://data.example/analytics', engine: duckdbEngine({ folder }) })
    const api = createAnalyticsApi(options as never)
    const statusOf = async (path: string) => (await api.fetch(new Request(`https://data.example${path}`))).status
    assert.equal(await statusOf('/analytics/public/v1/openapi.json'), 200)
    assert.equal(await statusOf('/different/public/v1/openapi.json'), 401)
    assert.equal(await statusOf('/public/v1/openapi.json'), 401)
    await api.close()
    await rm(folder, { recursive: true })
  })
})
