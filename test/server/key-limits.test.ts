import assert from 'node:assert/strict'
import type { CallerLimits } from 'foldgate'
import { checkCaller } from 'foldgate/internal'
import { describeLimits, readLimits, type WrittenLimits, warningOfValues } from '#server/input/key-limits.js'
import { digestOf } from '#server/store/digest.js'
import { createKey, listKeys } from '#server/store/keys.js'
import { keyPort } from '#server/store/ports.js'
import { addProject } from '#server/store/projects.js'
import { removeProject } from '#server/store/removal.js'
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
  rows: { department: [17, '9007199254740993'], country: ['KEN', 'a, "b"', ''], isOpen: [true] },
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

  it('close the key when a newer server has written limits that this one does not know', async () => {
    const { id, key } = await create(LIMITS)
    for (const unknown of [
      { rows: {} },
      { rows: { department: [] } },
      { rows: { department: 17 } },
      { rows: { department: [null] } },
      { rows: { department: { not: [17] } } },
      { columns: { orders: ['total'] } },
    ]) {
      const limits = JSON.stringify({ ...LIMITS, ...unknown })
      await control.store.db.updateTable('keys').set({ limits }).where('id', '=', id).execute()
      const caller = await authenticate(key)
      assert.throws(() => checkCaller(caller), /a caller whose only\.\w+(\.\w+)? is wrong/)
    }
    const [listed] = await listKeys(control.store)
    const told = new Map(describeLimits(listed?.limits ?? {}))
    assert.deepEqual(told.get('columns'), ['{"orders":["total"]}'])
  })

  it('hide the key from servers that know no limits', async () => {
    const { key } = await create(LIMITS)
    const found = control.store.db.selectFrom('keys').select('id').where('hash', '=', digestOf(key)).execute()
    assert.deepEqual(await found, [])
  })
})

describe('limits as people write them', () => {
  const NOTHING: WrittenLimits = { projects: [], methods: [], queries: [], relations: [], parameters: [], rows: [] }
  const read = (written: Partial<WrittenLimits>) => {
    const problems: Record<string, string> = {}
    const refuse = (limit: string, message: string) => {
      problems[limit] = message
    }
    const [about, since] = ['About it', { type: 'DATE', about: 'First day' }]
    const queries = [
      { name: 'revenue', version: 1, parameters: { customer: { type: 'BIGINT', about }, since } },
      { name: 'costs', version: 2, parameters: { since, tags: { type: 'VARCHAR[]', about, default: [] } } },
      {
        name: 'goods',
        version: 1,
        parameters: { code: { type: 'VARCHAR', about }, scope: { type: 'VARCHAR', about } },
      },
      { name: 'goods', version: 2, parameters: { code: { type: 'VARCHAR', about, values: ['5', '7'] } } },
      { name: 'days', version: 1, parameters: {} },
    ]
    const rowLimits = new Map([
      ['department', { type: 'BIGINT' }],
      ['country', { type: 'VARCHAR' }],
      ['isOpen', { type: 'BOOLEAN' }],
    ])
    const known = { relations: ['entities'], queries, rowLimits }
    return { limits: readLimits({ ...NOTHING, ...written }, refuse, known), problems }
  }

  it('are read, without blanks, empty lines and repetitions', () => {
    const written = {
      projects: [` ${PROJECT.toUpperCase()} `, '', PROJECT.toUpperCase()],
      methods: ['list', 'projects/query'],
      relations: ['entities'],
      queries: ['revenue', 'costs@2'],
      parameters: ['customer = 17', 'since={"type":"DATE","value":"2026-01-01"}'],
      rows: [' department = 17 ,9007199254740993', 'country=KEN', 'country="a, \\"b\\"" , "",KEN', 'isOpen=true', ''],
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

  it('are values of the types that the queries of the key declare', () => {
    const readOf = (queries: string[], parameter: string) => {
      const { limits, problems } = read({ queries, parameters: [parameter] })
      return problems.parameters ?? limits?.parameters
    }
    assert.deepEqual(readOf(['goods'], 'code=5'), { code: '5' })
    assert.deepEqual(readOf(['goods'], 'CODE="5"'), { CODE: '5' })
    assert.deepEqual(readOf(['goods@1'], 'scope=true'), { scope: 'true' })
    assert.deepEqual(readOf(['revenue'], 'customer=17'), { customer: 17 })
    assert.deepEqual(readOf(['revenue'], 'customer=9007199254740993'), { customer: '9007199254740993' })
    assert.deepEqual(readOf(['revenue', 'costs'], 'since=2026-01-01'), { since: '2026-01-01' })
    assert.deepEqual(readOf(['costs'], 'tags=["a"]'), { tags: { type: 'VARCHAR[]', value: ['a'] } })
    assert.deepEqual(readOf(['goods@1'], 'code=6'), { code: '6' })
    for (const [queries, parameter, says] of [
      [['goods'], 'code=6', 'The parameter "code" must be one of "5", "7"'],
      [['revenue'], 'customer=abc', /^The value of the parameter "customer" must be a BIGINT/],
      [['revenue'], 'since={"type":"VARCHAR","value":"x"}', /must be a DATE|is of type DATE/],
      [['revenue'], 'custmer=1', 'No query of the key takes the parameter "custmer": did you mean "customer"?'],
      [['costs'], 'customer=1', 'No query of the key takes the parameter "customer": they take since, tags'],
      [['goods@2'], 'region=1', 'No query of the key takes the parameter "region": they take code'],
      [['days'], 'code=1', 'No query of the key takes the parameter "code": they take none'],
    ] as const) {
      const problem = readOf([...queries], parameter)
      if (typeof says === 'string') assert.equal(problem, says)
      else assert.match(`${problem}`, says)
    }
  })

  it('come with a warning when values limit not all that the key can run', () => {
    const parameters = { customer: 17 }
    const queries = ['revenue']
    for (const limits of [
      { parameters },
      { parameters, queries, methods: ['projects/export'] },
      { parameters, methods: ['projects/query'] },
    ] as CallerLimits[])
      assert.match(warningOfValues(limits) ?? '', /^Values limit named queries alone: this key can send SQL/)
    for (const limits of [null, { queries }, { parameters, queries }, { parameters, methods: ['projects/list'] }])
      assert.equal(warningOfValues(limits as CallerLimits | null), null)
  })

  it('are refused with what to write instead', () => {
    const { problems } = read({
      projects: ['Northern mills'],
      methods: ['update'],
      relations: ['entity'],
      queries: ['revenue@'],
      parameters: ['customer'],
      rows: ['departmnt=17'],
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
    assert.match(problems.rows ?? '', /no row limit "departmnt": did you mean "department"\?/)
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
      ['rows', ['department=17,"9007199254740993"', 'country="KEN","a, \\"b\\"",""', 'isOpen=true']],
    ])
  })
})
