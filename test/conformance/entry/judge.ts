import assert from 'node:assert/strict'
import type { Case, ExpectedFailure, ExpectedResult, Outcome } from './case.js'
import { assertMembers } from './rest.js'

/** Every member that the data of a failure may have. */
const DATA = ['path', 'rule', 'name', 'line', 'column', 'hint', 'retry', 'retryAfterSeconds', 'warnings', 'reference']

/** Fails unless an outcome is as its case expects. */
export function judge({ expect }: Pick<Case, 'expect'>, outcome: Outcome): void {
  if ('class' in expect) judgeFailure(expect, outcome)
  else judgeResult(expect, outcome)
}

function judgeFailure(expect: ExpectedFailure, { error, result }: Outcome): void {
  assert.ok(error, `answered ${JSON.stringify(result)?.slice(0, 300)}`)
  const { class: name, message, detail } = error
  assert.equal(name, expect.class, message)
  assert.match(message, expect.message ?? /^[A-Z].*\S/s)
  assertMembers(detail ?? {}, [], DATA)
  assertHolds(detail, expect.data, 'data')
  judgeWarnings(detail?.warnings, expect.warnings)
}

function judgeResult(expect: ExpectedResult, outcome: Outcome): void {
  assert.equal(outcome.error, undefined)
  const result = outcome.result as Record<string, unknown> & { items?: unknown[] }
  if (expect.items) assert.deepEqual(result.items, expect.items)
  if (expect.count !== undefined) assert.equal(result.items?.length, expect.count)
  if (expect.more !== undefined)
    assert.equal(typeof result.nextCursor, expect.more ? 'string' : 'undefined', 'nextCursor')
  assertHolds(result, expect.result, 'result')
  for (const member of expect.lacks ?? []) assert.ok(!(member in result), member)
  judgeWarnings(outcome.warnings, expect.warnings)
}

/** Compares recursively. Objects may have further members; where a RegExp is expected, the value must match it. */
export function assertHolds(value: unknown, expected: unknown, path: string): void {
  if (expected === undefined) return
  if (expected instanceof RegExp) {
    assert.match(String(value), expected, path)
    return
  }
  if (expected === null || typeof expected !== 'object') {
    assert.deepEqual(value, expected, path)
    return
  }
  assert.equal(Array.isArray(value), Array.isArray(expected), path)
  if (Array.isArray(expected)) assert.equal((value as unknown[]).length, expected.length, `${path}.length`)
  for (const [name, member] of Object.entries(expected))
    assertHolds((value as Record<string, unknown>)[name], member, `${path}.${name}`)
}

function judgeWarnings(warnings: unknown, paths: readonly string[] | undefined): void {
  const told = warnings as Record<string, string>[] | undefined
  for (const warning of told ?? []) assertMembers(warning, ['path', 'message'], [])
  assert.deepEqual(
    told?.map(warning => warning.path),
    paths,
  )
}

/** Members that differ between any two calls. */
const FLEETING = ['url', 'expiresAt', 'reference', 'retryAfterSeconds']

/** Masks the fleeting members of an outcome; the rest must be equal at every entry point. */
export function comparable(outcome: Outcome): unknown {
  const text = JSON.stringify(outcome, (name, value: unknown) => (FLEETING.includes(name) ? typeof value : value))
  return JSON.parse(text.replace(/Retry in \d+ s/, 'Retry in n s'))
}
