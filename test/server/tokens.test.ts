import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { signToken } from 'foldgate/tokens'
import { acceptedTokens, usageOfOrganizations } from '#server/serving/token-port.js'
import { blocksOf } from '../house/documents.js'
import { forge, keySetServer, NAMES, pairOf } from '../service/tokens.js'
import { until } from '../until.js'
import { output, outputJson, run, scratchFolder } from './command.js'
import { addProjects, PROJECT_IDS } from './package.js'
import { call, type Served, serve } from './server.js'

const scratch = scratchFolder()
const waiting = () => new AbortController().signal

async function fileWith(members: unknown): Promise<string> {
  const file = join(scratch.path, 'tokens.json')
  await writeFile(file, typeof members === 'string' ? members : JSON.stringify(members))
  return file
}

describe('the file of --tokens', () => {
  const provider = pairOf('of the provider', 'RS256')
  const keys = [provider.publicJwk]
  const now = Math.floor(Date.now() / 1000)
  const token = (claims: object, names: object = { iss: NAMES.issuer, aud: NAMES.audience }) =>
    forge(provider, { ...names, sub: 'ada', iat: now, exp: now + 600, ...claims }, { typ: 'at+jwt' })
  const known = async (claims: object, given: object) => {
    const { keys: port } = await acceptedTokens(await fileWith({ ...NAMES, keys, claims }), null)
    return port.authenticate(token(given), waiting())
  }

  it('says what claims mean, as in the documents', async () => {
    const [block] = (await blocksOf('docs/operate.md')).filter(({ below }) => below === 'Users with tokens')
    const members = JSON.parse(block?.code ?? '')
    const keySet = await keySetServer(keys)
    const { keys: port, authorizationServers } = await acceptedTokens(
      await fileWith({ ...members, jwks: keySet.url }),
      'https://data.example',
    )
    assert.deepEqual(authorizationServers, [members.issuer])
    const names = { iss: members.issuer, aud: members.audience }
    const claims = { tenant: 'north', tables: ['entities'], departments: [17, 18], calls_per_window: 60 }
    assert.deepEqual(await port.authenticate(token(claims, names), waiting()), {
      keyId: JSON.stringify([members.issuer, ['north'], 'ada']),
      ownerId: JSON.stringify([members.issuer, ['north'], 'ada']),
      organizations: ['north'],
      only: { relations: ['entities'], rows: { department: [17, 18] } },
      quota: 60,
    })
    for (const missing of ['tables', 'departments', 'calls_per_window'])
      for (const value of [undefined, null])
        await assert.rejects(port.authenticate(token({ ...claims, [missing]: value }, names), waiting()), {
          message: `a token lacks the claim ${missing}, which limits it`,
        })
    assert.equal(await port.authenticate(token({ ...claims, tenant: undefined }, names), waiting()), null)
    assert.equal(await port.authenticate(token(claims), waiting()), null)
    await keySet.close()
  })

  it('takes one value for a list of one, and a parameter as it is', async () => {
    const claims = {
      organization: 'orgs',
      methods: 'can',
      parameters: { customer: 'https://app.example/customer', since: 'since' },
      rows: { department: 'department' },
    }
    const since = { type: 'DATE', value: '2026-01-01' }
    const given = { orgs: ['south', 'north'], can: 'projects/query', department: 17, since }
    const caller = await known(claims, { ...given, 'https://app.example/customer': 5 })
    assert.deepEqual(caller?.organizations, ['north', 'south'])
    assert.deepEqual(caller?.only, {
      methods: ['projects/query'],
      parameters: { customer: 5, since },
      rows: { department: [17] },
    })
    assert.deepEqual(Object.keys((await known({ organization: 'orgs' }, given)) ?? {}), [
      'keyId',
      'ownerId',
      'organizations',
    ])
    for (const inherited of ['constructor', '__proto__', 'toString'])
      await assert.rejects(known({ organization: 'orgs', relations: inherited }, given), /lacks the claim/)
  })

  it('names the audiences, which are otherwise the resources that the service names', async () => {
    const [base, mcp, other] = ['https://data.example.org', 'https://data.example.org/public/v1/mcp', 'api://data']
    const accepted = async (audience: unknown) => {
      const { keys: port } = await acceptedTokens(
        await fileWith({ issuer: NAMES.issuer, audience, keys, claims: { organization: 'org' } }),
        base,
      )
      const known = [base, mcp, other, `${base}/`, `${base}/public/v1`].map(async aud => {
        const found = await port.authenticate(token({ org: 'north' }, { iss: NAMES.issuer, aud }), waiting())
        return found ? [aud] : []
      })
      return (await Promise.all(known)).flat()
    }
    assert.deepEqual(await accepted(undefined), [base, mcp])
    assert.deepEqual(await accepted(other), [other])
    assert.deepEqual(await accepted([base, other]), [base, other])
  })

  it('publishes no issuer that is no https URL', async () => {
    for (const issuer of ['the application', 'http://id.example', 'https://id.example/?tenant=5'])
      assert.deepEqual(
        (await acceptedTokens(await fileWith({ ...NAMES, issuer, keys }), null)).authorizationServers,
        [],
      )
  })

  it('is refused in words that say what is wrong in it', async () => {
    const right = { ...NAMES, keys }
    const wrong: [members: unknown, says: RegExp][] = [
      ['issuer: x', /^The tokens in .* are not JSON/],
      ['[]', /^The tokens in .* must be a JSON object such as \{ "issuer"/],
      [{ ...right, Issuer: 'x' }, /cannot be used: the file has no option Issuer: did you mean issuer\?$/],
      [{ ...right, revoked: true }, /the file has no option revoked/],
      [{ issuer: NAMES.issuer, keys }, /cannot be used: audience is missing: name it, or give --base-url/],
      [{ ...right, audience: null }, /cannot be used: tokenKeys: audience must be a string/],
      [{ ...right, audience: [] }, /audience must be a string, as tokens have it, or a list of several/],
      [{ ...NAMES, jwks: 'http://id.example/keys' }, /jwks must be the https URL/],
      [{ ...NAMES, jwks: 5 }, /jwks must be the https URL/],
      [{ ...NAMES, keys: 'keys.json' }, /keys must be a list of public keys/],
      [{ ...NAMES, keys: [provider.privateJwk] }, /keys\[0\] is a private key/],
      [{ ...right, typ: 'at+jwt' }, /typ is the type of tokens that toCaller reads/],
      [{ ...right, claims: 'org' }, /claims takes an object with options/],
      [{ ...right, claims: null }, /claims takes an object with options/],
      [{ ...right, claims: {} }, /claims\.organization must be the name of the claim/],
      [
        { ...right, claims: { organization: 'o', relation: 'r' } },
        /claims has no option relation: did you mean relations\?/,
      ],
      [{ ...right, claims: { organization: 'o', relations: ['r'] } }, /claims\.relations must be the name of a claim/],
      [{ ...right, claims: { organization: 'o', quota: 60 } }, /claims\.quota must be the name of a claim/],
      [{ ...right, claims: { organization: 'o', rows: 'r' } }, /claims\.rows must have names of claims/],
      [{ ...right, claims: { organization: 'o', rows: { department: 17 } } }, /claims\.rows must have names of claims/],
    ]
    for (const [members, says] of wrong) {
      const refused = await acceptedTokens(await fileWith(members), null).catch(cause => cause)
      assert.equal(refused.name, 'Refusal', String(says))
      assert.match(refused.message, says)
      assert.ok(!refused.message.includes(provider.privateJwk.d))
    }
    await assert.rejects(
      acceptedTokens(join(scratch.path, 'missing.json'), null),
      /^Refusal: The tokens in .* cannot be read: ENOENT/,
    )
  })

  it('counts the calls of tokens by their organizations', () => {
    const recorded: string[] = []
    const usage = usageOfOrganizations({ record: ({ keyId }) => void recorded.push(keyId) })
    for (const keyId of [
      '5f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20',
      JSON.stringify(['https://id.example', ['a', 'b'], 'ada']),
    ])
      usage.record({ keyId } as Parameters<typeof usage.record>[0])
    assert.deepEqual(recorded, ['5f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20', '["a","b"]'])
  })
})

describe('a server with --tokens', () => {
  const own = pairOf('own')
  const projectId = PROJECT_IDS.early
  const sql = 'SELECT entity_key FROM entities ORDER BY 1'
  let server: Served
  let key: string
  before(async () => {
    await addProjects(scratch.path)
    await output(scratch.path, 'user', 'add', 'ada@example.org', '--organization', 'south')
    key = await output(scratch.path, 'key', 'create', '--user', 'ada@example.org', '--organization', 'south')
    server = await serve(scratch.path, '--tokens', await fileWith({ ...NAMES, keys: [own.publicJwk] }), {
      quota: '20/1h',
    })
  })
  after(() => server.child.kill('SIGKILL'))

  const signed = (more: Partial<Parameters<typeof signToken>[0]> = {}) =>
    signToken({ ...NAMES, key: own.privateJwk, subject: 'bob', organization: 'south', expiresInMs: 60_000, ...more })

  it('answers calls with tokens and with keys, and counts both', async () => {
    const token = await signed()
    for (const each of [token, key]) {
      const { items } = await call(server.url, each, 'query', { projectId, sql })
      assert.deepEqual(items, [{ entity_key: 'group' }, { entity_key: 'plant' }])
    }
    const stranger = await signed({ key: pairOf('own').privateJwk })
    assert.equal((await call(server.url, stranger, 'list')).status, 401)
    const hidden = await signed({ only: { relations: ['point_of_view'] } })
    assert.equal((await call(server.url, hidden, 'query', { projectId, sql })).class, 'INVALID_QUERY')
    type Day = { name: string; methods: Record<string, { calls: number; failed: number }> }
    const used = async (...flags: string[]) =>
      (await outputJson<Day[]>(scratch.path, 'usage', ...flags)).map(
        ({ name, methods: { 'projects/query': { calls, failed } = {} } }) => ({ name, calls, failed }),
      )
    const ofTokens = { name: 'tokens', calls: 2, failed: 1 }
    await until(async () => (await used('--key', '["south"]'))[0]?.calls === 2, 'the calls of tokens are counted')
    assert.deepEqual(await used('--key', '["south"]'), [ofTokens])
    await until(async () => (await used()).length === 2, 'the call of the key is counted')
    assert.deepEqual((await used()).find(({ name }) => name !== 'tokens')?.calls, 1)
    assert.ok(server.log().includes(JSON.stringify(JSON.stringify([NAMES.issuer, ['south'], 'bob']))))
    for (const part of token.split('.')) assert.ok(!server.log().includes(part))
    assert.doesNotMatch(server.log(), /"level":(40|50|"warn"|"error")[^\n]*(usage|quota)/)
  })

  it('shares exported files with the tokens of their user alone, and counts calls per user', async () => {
    const { link } = await call(server.url, await signed(), 'export', { projectId, sql })
    const download = async (token: string) =>
      (await fetch(link ?? '', { headers: { authorization: `Bearer ${token}` } })).status
    assert.equal(await download(await signed()), 200)
    for (const token of [await signed({ subject: 'eve' }), key]) assert.equal(await download(token), 404)
    const few = await signed({ subject: 'eve', quota: 2 })
    const outcomes: (string | undefined)[] = []
    for (let time = 0; time < 3; time++) outcomes.push((await call(server.url, few, 'list')).class)
    assert.deepEqual(outcomes, [undefined, undefined, 'RATE_LIMITED'])
  })

  it('does not start with a file that is wrong', async () => {
    const ended = await run(scratch.path, [
      'serve',
      '--port',
      '0',
      '--tokens',
      await fileWith({ ...NAMES, claims: {} }),
    ])
    assert.equal(ended.status, 1)
    assert.match(ended.stderr, /The tokens in .*tokens\.json cannot be used: claims\.organization must be/)
  })
})
