import assert from 'node:assert/strict'
import { EXTRA_FUNCTIONS } from '#lib/guard/extras.js'
import { readStatements } from '../sql/statements.js'
import { GuardProbe } from './guard-probe.js'

describe('guard over the statements of test/sql', () => {
  const probe = new GuardProbe()
  before(() => probe.open({ functions: EXTRA_FUNCTIONS }))
  after(() => probe.close())

  const refusals = readStatements('refused')
  const accepted = readStatements('accepted')

  it('has enough of them, each with its own id and SQL', () => {
    assert.ok(refusals.length >= 900 && accepted.length >= 350, `${refusals.length} ${accepted.length}`)
    for (const statements of [refusals, accepted]) {
      assert.equal(new Set(statements.map(({ id }) => id)).size, statements.length)
      const texts = statements.map(({ sql }) => sql)
      assert.deepEqual(
        texts.filter((text, index) => texts.indexOf(text) !== index),
        [],
      )
    }
  })

  it('refuses each by its rule, in a message without paths of the machine', async () => {
    const failures: string[] = []
    for (const { id, sql, rule } of refusals.filter(statement => statement.rule !== undefined)) {
      const found = await probe.verdict(sql)
      if (!('rule' in found)) failures.push(`${id} passed`)
      else if (rule !== '' && found.rule !== rule) failures.push(`${id} by ${found.rule}: ${found.message}`)
      else if (found.message.length < 15 || pathsIn(found.message).some(path => !sql.includes(path)))
        failures.push(`${id}: ${found.message}`)
    }
    assert.deepEqual(failures, [])
  })

  it('gives the position of what it refuses', async () => {
    const failures: string[] = []
    for (const { id, sql } of refusals.filter(({ rule }) => rule !== undefined)) {
      const found = await probe.refused(sql)
      if (found.rule !== 'relation' && found.rule !== 'function') continue
      const at = sql.split('\n')[(found.line ?? 0) - 1]
      const pointed = at === undefined ? '' : [...at].slice((found.column ?? 0) - 1).join('')
      const plain = (text = '') => text.toLowerCase().replaceAll('"', '')
      const [name, qualifier] = [plain(found.name), plain(found.name?.split('.')[0])]
      // A call may be written with its receiver before a dot, and a relation with blanks around its dots.
      const written = plain(pointed).slice(0, 40 + name.length)
      if (name === '' || !(written.includes(name) || (found.rule === 'relation' && written.startsWith(qualifier))))
        failures.push(`${id}: ${found.name} at ${found.line}:${found.column} "${pointed.slice(0, 40)}"`)
    }
    assert.deepEqual(failures, [])
  })

  it('passes each accepted one, and those whose mistake shows only when they run', async () => {
    const failures: string[] = []
    for (const { id, sql } of [
      ...accepted,
      ...refusals.filter(one => one.rule === undefined && one.expect.length === 1),
    ]) {
      const found = await probe.verdict(sql)
      if ('rule' in found) failures.push(`${id}: ${found.message}`)
    }
    assert.deepEqual(failures, [])
  })

  it('passes each accepted one without the functions that a host adds, except for those that call them', async () => {
    const plain = new GuardProbe()
    await plain.open()
    try {
      const failures: string[] = []
      for (const { id, sql } of accepted) {
        const found = await plain.verdict(sql)
        const isRefused = 'rule' in found
        if (isRefused !== id.startsWith('extras/')) failures.push(`${id}: ${isRefused ? found.message : 'passed'}`)
        else if (isRefused) assert.match(found.message, /this service leaves it out/)
      }
      assert.deepEqual(failures, [])
    } finally {
      await plain.close()
    }
  })

  it('refuses a resource bomb only if it may be INVALID_QUERY', async () => {
    for (const { sql, expect, id } of refusals.filter(one => one.rule === undefined && one.expect.length > 1)) {
      const found = await probe.verdict(sql)
      if ('rule' in found) assert.ok(expect.includes('INVALID_QUERY'), `${id}: ${found.message}`)
    }
  })
})

function pathsIn(message: string): string[] {
  return message.match(/(?:\/[\w.-]+){2,}/g) ?? []
}
