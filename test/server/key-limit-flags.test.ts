import assert from 'node:assert/strict'
import { ask, output, outputJson, scratchFolder } from './command.js'

const ADA = 'ada@example.org'
const PROJECT = '5f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20'
const OTHER = '7f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20'
const UNKNOWN = '6f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20'

describe('foldgate key create with limits', () => {
  const scratch = scratchFolder()
  const owner = ['--user', ADA, '--organization', 'north']
  before(async () => {
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'North')
    await output(scratch.path, 'user', 'add', ADA, '--organization', 'north')
    await output(scratch.path, 'project', 'add', '--organization', 'north', '--name', 'One', '--id', PROJECT)
  })

  it('makes such a key, and key list shows them', async () => {
    const flags = [
      ...['--only-project', PROJECT, '--only-method', 'list', '--only-method', 'query', '--only-relation', 'entities'],
      ...['--only-query', 'sites_at_risk', '--only-query', 'pressure_by_biome@1'],
      ...['--parameter', 'least_score=20'],
    ]
    const made = await outputJson<{ limits: unknown }>(scratch.path, 'key', 'create', ...owner, ...flags)
    const queries = ['sites_at_risk', 'pressure_by_biome@1']
    const methods = ['projects/list', 'projects/query']
    const parameters = { least_score: 20 }
    const limits = { projects: [PROJECT], methods, queries, relations: ['entities'], parameters }
    assert.deepEqual(made.limits, limits)
    const [listed] = await outputJson<{ limits: unknown }[]>(scratch.path, 'key', 'list')
    assert.deepEqual(listed?.limits, limits)
    const { stdout } = await ask(scratch.path, ['key', 'list'])
    assert.match(stdout, /LIMITS/)
    assert.ok(
      stdout.includes(
        `projects ${PROJECT}; methods projects/list, projects/query; queries sites_at_risk, pressure_by_biome@1; relations`,
      ),
    )
  })

  it('takes values of row limits of the catalogue, whose flags add up', async () => {
    const [rows, more] = [`entities=${PROJECT},"${UNKNOWN}"`, `entities=${OTHER}`]
    const flags = ['--only-rows', rows, '--only-rows', more]
    const made = await outputJson<{ id: string; limits: unknown }>(scratch.path, 'key', 'create', ...owner, ...flags)
    assert.deepEqual(made.limits, { rows: { entities: [PROJECT, UNKNOWN, OTHER] } })
    const { stdout } = await ask(scratch.path, ['key', 'list'])
    assert.ok(stdout.includes(`rows entities="${PROJECT}","${UNKNOWN}","${OTHER}"`), stdout)
    const listed = await outputJson<{ id: string; limits: unknown }[]>(scratch.path, 'key', 'list')
    assert.deepEqual(listed.find(({ id }) => id === made.id)?.limits, made.limits)
    const wrong = await ask(scratch.path, ['key', 'create', ...owner, '--only-rows', 'entities=acme'])
    assert.match(wrong.stderr, /--only-rows: "acme" is no value of the row limit "entities", which must be a UUID/)
  })

  it('refuses what is misspelt, with the flag', async () => {
    const { length } = await outputJson<unknown[]>(scratch.path, 'key', 'list')
    for (const [flag, value, says] of [
      ['--only-project', UNKNOWN, /The organizations of the key have no project/],
      ['--only-project', 'One', /--only-project: "One" is not the id of a project/],
      ['--only-method', 'update', /--only-method: There is no method "update"/],
      ['--only-relation', 'entity', /--only-relation: The catalogue has no relation "entity"/],
      ['--only-query', 'site_at_risk', /--only-query: .* no named query "site_at_risk": did you mean "sites_at_risk"/],
      ['--only-query', 'a@b@c', /--only-query: "a@b@c" is no named query/],
      ['--parameter', 'customer', /--parameter: "customer" is no value of a parameter/],
      ['--only-rows', 'customer', /--only-rows: "customer" is no value of a row limit: write name=value/],
      ['--only-rows', 'customer=17', /--only-rows: The catalogue has no row limit "customer": it has /],
    ] as const) {
      const { status, stderr } = await ask(scratch.path, ['key', 'create', ...owner, flag, value])
      assert.deepEqual([status, says.test(stderr)], [1, true], stderr)
    }
    assert.equal((await outputJson<unknown[]>(scratch.path, 'key', 'list')).length, length)
  })

  it('refuses values that its queries do not take, and reads the others as their types', async () => {
    const create = (query: string, value: string) =>
      ask(scratch.path, ['key', 'create', ...owner, '--only-query', query, '--parameter', value, '--json'])
    for (const [query, value, says] of [
      ['sites_at_risk', 'least_scor=20', /takes the parameter "least_scor": did you mean "least_score"\?/],
      ['sites_at_risk', 'least_score=abc', /"least_score" must be an INTEGER/],
      ['pressure_by_country', 'scope=9', /"scope" must be one of 1, 2, 3/],
    ] as const) {
      const { status, stdout, stderr } = await create(query, value)
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, /--parameter: /)
      assert.match(stderr, says)
    }
    const { stdout, stderr } = await create('pressure_by_country', 'indicator=5')
    assert.equal(stderr, '')
    assert.deepEqual(JSON.parse(stdout).limits.parameters, { indicator: '5' })
  })

  it('warns of values for a key that can send SQL of its own', async () => {
    const { status, stderr } = await ask(scratch.path, ['key', 'create', ...owner, '--parameter', 'customer=17'])
    assert.deepEqual([status, stderr.startsWith('Warning: Values limit named queries alone')], [0, true])
  })

  it('refuses an empty flag, which would limit nothing, also beside others', async () => {
    const { length } = await outputJson<unknown[]>(scratch.path, 'key', 'list')
    for (const [flag, empty, ...others] of [
      ['--only-project', ''],
      ['--only-method', '', '--only-method', 'list'],
      ['--only-query', ' \t'],
      ['--only-relation', ' ', '--only-project', PROJECT],
      ['--parameter', ''],
      ['--only-rows', '', '--only-project', PROJECT],
    ] as const) {
      const { status, stdout, stderr } = await ask(scratch.path, ['key', 'create', ...owner, flag, empty, ...others])
      assert.deepEqual([status, stdout], [1, ''])
      assert.ok(stderr.includes(`${flag}: It needs a value, so no key was created.`), stderr)
    }
    assert.equal((await outputJson<unknown[]>(scratch.path, 'key', 'list')).length, length)
  })
})
