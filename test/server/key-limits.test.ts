import assert from 'node:assert/strict'
import type { CallerLimits } from 'foldgate'
import { describeLimits, readLimits, type WrittenLimits } from '#server/input/key-limits.js'
import { digestOf } from '#server/store/digest.js'
import { createKey, listKeys } from '#server/store/keys.js'
import { keyPort } from '#server/store/ports.js'
import { addProject } from '#server/store/projects.js'
import { removeProject } from '#server/store/removal.js'
import { output, outputJson, run, scratchFolder } from './command.js'
import { ControlStore } from './control.js'

const ADA = 'ada@example.org'
const PROJECT = '5f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20'
const UNKNOWN = '6f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20'
const signal = AbortSignal.timeout(60_000)
const LIMITS: CallerLimits = {
  projects: [PROJECT],
  methods: ['projects/list', 'projects/query'],
  relations: ['entities'],
  queries: ['revenue', 'costs@2'],
  parameters: { customer: 17, since: { type: 'DATE', value: '2026-01-01' } },
}

describe('the limits of a key in the store', () => {
  const control = new ControlStore()
  beforeEach(async () => {
    await control.addAda('north', 'south')
    await addProject(control.store, { organization: 'north', name: 'One', id: PROJECT })
  })

  const create = (limits?: CallerLimits) =>
    createKey(control.store, { user: ADA, organizations: ['north'], ...(limits ? { limits } : {}) })
  const authenticate = (key: string) => keyPort(control.store).authenticate(key, signal)

  it('are what its caller has', async () => {
    const { key, limits } = await create(LIMITS)
    assert.deepEqual(limits, LIMITS)
    assert.deepEqual((await authenticate(key))?.only, LIMITS)
    assert.deepEqual((await listKeys(control.store))[0]?.limits, LIMITS)
    const open = await create()
    assert.equal(open.limits, null)
    assert.equal(Object.hasOwn((await authenticate(open.key)) ?? {}, 'only'), false)
  })

  it('name only projects of its organizations', async () => {
    await addProject(control.store, { organization: 'south', name: 'Two', id: UNKNOWN })
    for (const projects of [[UNKNOWN], [PROJECT, UNKNOWN], ['7f0c8a5e-2a64-4d0f-9a3e-6b1d7c9e4f20']])
      await assert.rejects(create({ projects }), /The organizations of the key have no project "[67]f0c.*: name one/)
    assert.equal((await listKeys(control.store)).length, 0)
  })

  it('stay when the project is removed, so that the key does not get wider', async () => {
    const { key } = await create({ projects: [PROJECT] })
    await removeProject(control.store, PROJECT)
    assert.deepEqual((await authenticate(key))?.only, { projects: [PROJECT] })
  })

  it('close the key when they are lost or damaged', async () => {
    const { id, key } = await create(LIMITS)
    const set = (limits: string | null) =>
      control.store.db.updateTable('keys').set({ limits }).where('id', '=', id).execute()
    await set(null)
    assert.equal(await authenticate(key), null)
    await set('{"projects":')
    await assert.rejects(authenticate(key), SyntaxError)
  })

  it('hide the key from servers that know no limits', async () => {
    const { key } = await create(LIMITS)
    const found = control.store.db.selectFrom('keys').select('id').where('hash', '=', digestOf(key)).execute()
    assert.deepEqual(await found, [])
  })
})

describe('limits as people write them', () => {
  const NOTHING: WrittenLimits = { projects: [], methods: [], queries: [], relations: [], parameters: [] }
  const read = (written: Partial<WrittenLimits>) => {
    const problems: Record<string, string> = {}
    const refuse = (limit: string, message: string) => {
      problems[limit] = message
    }
    const known = { relations: ['entities'], queries: ['revenue', 'revenue@1', 'costs', 'costs@2'] }
    return { limits: readLimits({ ...NOTHING, ...written }, refuse, known), problems }
  }

  it('are read, without blanks, empty lines and repetitions', () => {
    const written = {
      projects: [` ${PROJECT.toUpperCase()} `, '', PROJECT.toUpperCase()],
      methods: ['list', 'projects/query'],
      relations: ['entities'],
      queries: ['revenue', 'costs@2'],
      parameters: ['customer = 17', 'since={"type":"DATE","value":"2026-01-01"}'],
    }
    assert.deepEqual(read(written), { limits: LIMITS, problems: {} })
    assert.deepEqual(read({ projects: ['', ' '] }), { limits: null, problems: {} })
  })

  it('are values of JSON, or strings', () => {
    const parameters = ['a=17', 'b="17"', 'c=KEN', 'd=true', 'e=null', 'f=x=y', 'g=', 'h=0.5']
    assert.deepEqual(read({ parameters }).limits?.parameters, {
      ...{ a: 17, b: '17', c: 'KEN', d: true, e: null, f: 'x=y', g: '', h: 0.5 },
    })
  })

  it('are refused with what to write instead', () => {
    const { problems } = read({
      projects: ['Northern mills'],
      methods: ['update'],
      relations: ['entity'],
      queries: ['revenue@'],
      parameters: ['customer'],
    })
    assert.match(problems.projects ?? '', /"Northern mills" is not the id of a project: write the UUID/)
    assert.match(problems.methods ?? '', /no method "update": the methods are projects\/list, /)
    assert.match(problems.relations ?? '', /has no relation "entity": write a name/)
    assert.match(problems.queries ?? '', /"revenue@" is no named query: write its name, or name@version/)
    const misspelt = (name: string) => read({ queries: [name] }).problems.queries
    assert.equal(misspelt('revenu'), 'The catalogue has no named query "revenu": did you mean "revenue"?')
    assert.equal(misspelt('costs@1'), 'The catalogue has no named query "costs@1": did you mean "costs@2"?')
    assert.match(misspelt('weather') ?? '', /no named query "weather": write a name that "queries.json" describes/)
    assert.match(read({ relations: ['entites'] }).problems.relations ?? '', /"entites": did you mean "entities"\?/)
    assert.match(problems.parameters ?? '', /"customer" is no value of a parameter: write name=value/)
    const wrong = (...parameters: string[]) => read({ parameters }).problems.parameters
    assert.match(wrong('a=1', 'a=2') ?? '', /"a" has two values: give it one/)
    assert.match(wrong('a=1', 'A=2') ?? '', /is there twice/)
    assert.match(wrong('a b=1') ?? '', /must have 1 to 63 ASCII letters/)
    assert.match(wrong('a={"type":"DATE","value":"soon"}') ?? '', /must be a DATE as rows have it/)
    assert.match(wrong('a=[1]') ?? '', /write \{ "type": "VARCHAR\[\]"/)
  })

  it('are told in short', () => {
    assert.deepEqual(describeLimits(LIMITS), [
      ['projects', [PROJECT]],
      ['methods', ['projects/list', 'projects/query']],
      ['relations', ['entities']],
      ['queries', ['revenue', 'costs@2']],
      ['parameters', ['customer=17', 'since={"type":"DATE","value":"2026-01-01"}']],
    ])
  })
})

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
      ...['--only-query', 'sites_at_risk', '--only-query', 'pressure_by_biome@1', '--parameter', 'customer=17'],
      ...['--parameter', 'since={"type":"DATE","value":"2026-01-01"}'],
    ]
    const made = await outputJson<{ limits: unknown }>(scratch.path, 'key', 'create', ...owner, ...flags)
    const limits = { ...LIMITS, queries: ['sites_at_risk', 'pressure_by_biome@1'] }
    assert.deepEqual(made.limits, limits)
    const [listed] = await outputJson<{ limits: unknown }[]>(scratch.path, 'key', 'list')
    assert.deepEqual(listed?.limits, limits)
    const { stdout } = await run(scratch.path, ['key', 'list'])
    assert.match(stdout, /LIMITS/)
    assert.ok(
      stdout.includes(
        `projects ${PROJECT}; methods projects/list, projects/query; queries sites_at_risk, pressure_by_biome@1; relations`,
      ),
    )
  })

  it('refuses what is misspelt, with the flag', async () => {
    for (const [flag, value, says] of [
      ['--only-project', UNKNOWN, /The organizations of the key have no project/],
      ['--only-project', 'One', /--only-project: "One" is not the id of a project/],
      ['--only-method', 'update', /--only-method: There is no method "update"/],
      ['--only-relation', 'entity', /--only-relation: The catalogue has no relation "entity"/],
      ['--only-query', 'site_at_risk', /--only-query: .* no named query "site_at_risk": did you mean "sites_at_risk"/],
      ['--only-query', 'a@b@c', /--only-query: "a@b@c" is no named query/],
      ['--parameter', 'customer', /--parameter: "customer" is no value of a parameter/],
    ] as const) {
      const { status, stderr } = await run(scratch.path, ['key', 'create', ...owner, flag, value])
      assert.deepEqual([status, says.test(stderr)], [1, true], stderr)
    }
    assert.equal((await outputJson<unknown[]>(scratch.path, 'key', 'list')).length, 1)
  })
})
