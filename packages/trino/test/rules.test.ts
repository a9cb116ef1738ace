import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { accessRules } from '#trino/rules/access-rules.js'
import { clusterRules } from '#trino/rules/cluster-rules.js'

const names = { catalog: 'lake', user: 'foldgate', prefix: 'fg_' }
const { tables = [] } = accessRules(names)

/** What a user may do with the tables of a schema, as Trino finds it: the first rule decides whose patterns all match. */
function privileges(user: string, catalog: string, schema: string): unknown {
  const values: Record<string, string> = { user, catalog, schema }
  const matches = (rule: Record<string, unknown>) =>
    Object.entries(values).every(([key, value]) => !(key in rule) || new RegExp(`^(?:${rule[key]})$`).test(value))
  return tables.find(matches)?.privileges
}

const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 16, maxLength: 16 })

describe('the rules for a cluster', () => {
  it('let a caller read the schema of the same name, and no other', () => {
    fc.assert(
      fc.property(digits, digits, (one, other) => {
        assert.deepEqual(privileges(`fg_p_${one}`, 'lake', `fg_p_${one}`), ['SELECT'])
        assert.deepEqual(privileges(`fg_p_${one}`, 'lake', `fg_p_${other}`), one === other ? ['SELECT'] : [])
      }),
    )
  })

  it('tell names apart that differ in one digit only', () => {
    const digit = fc.constantFrom(...'0123456789abcdef')
    fc.assert(
      fc.property(digits, fc.nat(15), digit, (name, place, replaced) => {
        const other = name.slice(0, place) + replaced + name.slice(place + 1)
        assert.deepEqual(privileges(`fg_p_${name}`, 'lake', `fg_p_${other}`), name === other ? ['SELECT'] : [])
      }),
      { numRuns: 1000 },
    )
  })

  it('refuse callers other catalogs, schemas of other kinds, and names that are almost theirs', () => {
    const name = 'fg_p_0123456789abcdef'
    const schemas = ['fg_s_0123456789abcdef', 'fg_b_0123456789abcdef', 'p_0123456789abcdef', `${name}0`, `x${name}`]
    for (const schema of [...schemas, name.slice(0, -1), name.toUpperCase(), `${name}\n`, 'default'])
      assert.deepEqual(privileges(name, 'lake', schema), [], schema)
    for (const user of [`${name}0`, `${name}\n`, name.toUpperCase(), 'p_0123456789abcdef', 'anyone', ''])
      assert.deepEqual(privileges(user, 'lake', name), [], user)
    for (const catalog of ['system', 'other', 'lake2', 'xlake'])
      assert.deepEqual(privileges(name, catalog, name), [], catalog)
  })

  it('name the option that is wrong', () => {
    for (const [option, wrong] of [
      ['catalog', 'a/b'],
      ['catalog', ''],
      ['user', 'a b'],
      ['user', 'p_0123456789abcdef'],
      ['prefix', 'A'],
      ['prefix', '.*'],
      ['memory', '2'],
      ['memory', '2GB\n'],
      ['cpu', 'ten'],
    ] as const)
      assert.throws(() => clusterRules({ [option]: wrong }), {
        name: 'TypeError',
        message: new RegExp(`^${option} must|^${option} may`),
      })
  })
})

describe('foldgate-trino', () => {
  const program = fileURLToPath(new URL('../bin/foldgate-trino.js', import.meta.url))
  const run = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })

  it('writes the files, and says what each does', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    try {
      const { status, stdout } = run('rules', '--catalog', 'lake', '--prefix', 'fg_', '--out', join(folder, 'etc'))
      assert.equal(status, 0)
      const files = clusterRules({ catalog: 'lake', prefix: 'fg_' })
      assert.deepEqual((await readdir(join(folder, 'etc'))).sort(), files.map(({ path }) => path).sort())
      for (const { path, about, text } of files) {
        assert.equal(await readFile(join(folder, 'etc', path), 'utf8'), text)
        assert.ok(stdout.includes(`${join(folder, 'etc', path)}: ${about}`))
        if (path.endsWith('.json')) JSON.parse(text)
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('prints them without a folder, and its usage when asked', () => {
    const printed = run('rules')
    assert.deepEqual([printed.status, printed.stdout.split('\n')[1]], [0, 'access-control.name=file'])
    assert.match(printed.stderr, /^Copy these files into the folder etc of the coordinator/)
    const help = run('--help')
    assert.deepEqual([help.status, help.stdout.split('\n')[0]], [0, 'Usage: foldgate-trino rules [options]'])
  })

  it('ends with status 2 when it is used wrongly', () => {
    for (const args of [[], ['rulez'], ['rules', 'more'], ['rules', '--no'], ['rules', '--memory', 'much']]) {
      const { status, stdout, stderr } = run(...args)
      assert.deepEqual([status, stdout], [2, ''], args.join(' '))
      assert.notEqual(stderr, '')
    }
  })
})
