import assert from 'node:assert/strict'
import { duckdbEngine } from 'foldgate'
import { EXTRA_FUNCTIONS } from '#lib/guard/extras.js'
import { FUNCTIONS } from '#lib/guard/inventory.js'
import { TEXT_FUNCTION } from '#lib/values/types.js'
import { GuardProbe } from './guard-probe.js'

/** A call of a function, or of an operator, that the parser takes; nothing runs it. */
const callOf = (name: string) => (/^[a-z]/.test(name) ? `SELECT ${name}(1)` : `SELECT [1] ${name} [2]`)

describe('functions that a host adds', () => {
  const probe = new GuardProbe()
  before(() => probe.open({ functions: ['struct_values', 'decode', 'union_tag'] }))
  after(() => probe.close())

  it('are those that are named, and no others', async () => {
    for (const name of ['struct_values', 'decode', 'union_tag']) await probe.passed(callOf(name))
    const others = [...EXTRA_FUNCTIONS].filter(name => !['struct_values', 'decode', 'union_tag'].includes(name))
    assert.ok(others.length > 100)
    for (const name of others) {
      const { rule, name: named, message, hint = '' } = await probe.refused(callOf(name))
      assert.deepEqual([rule, named], ['function', name])
      assert.ok(message.startsWith(`The function "${name}" is not available: this service leaves it out`), message)
      assert.match(hint, /^[A-Z].*\.$/)
    }
  })

  it('are never the one with which engine processes spell values in Parquet', async () => {
    const told = await probe.refused(`SELECT ${TEXT_FUNCTION}(1)`)
    assert.deepEqual([told.rule, told.name], ['function', TEXT_FUNCTION])
    const functions = [TEXT_FUNCTION]
    assert.throws(() => duckdbEngine({ folder: 'x', guard: { functions } }), /which cannot be added/)
  })

  it('obey the rules for their arguments', async () => {
    assert.equal((await probe.refused("SELECT decode('a'::BLOB, 'ignore')")).rule, 'pattern')
  })

  it('are named by hints only if they can be called', async () => {
    assert.equal((await probe.refused('SELECT struct_vaules(1)')).hint, 'Did you mean "struct_values"?')
    assert.notEqual((await probe.refused('SELECT parse_pat(1)')).hint, 'Did you mean "parse_path"?')
  })

  it('are none of those that are there by default', () => {
    assert.deepEqual(
      [...EXTRA_FUNCTIONS].filter(name => FUNCTIONS.has(name)),
      [],
    )
  })

  it('are refused at the start if they were not reviewed', () => {
    for (const name of ['struct_keys', 'fill', 'read_text', 'query', 'getenv', 'nope', ''])
      assert.throws(() => duckdbEngine({ folder: 'x', guard: { functions: [name] } }), {
        name: 'TypeError',
        message: new RegExp(
          `^engine\\.guard\\.functions has "${name}", which cannot be added\\. Those that can: struct_`,
        ),
      })
    assert.throws(() => duckdbEngine({ folder: 'x', guard: { functions: 'decode' as unknown as string[] } }), TypeError)
    duckdbEngine({ folder: 'x', guard: { functions: ['DECODE', 'median'] } })
  })
})
