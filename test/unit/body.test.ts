import assert from 'node:assert/strict'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { unparse } from '#lib/adapters/node-exchange.js'
import { LONG_LIST, MOST_MESSAGES, parseBody } from '#lib/http/body.js'

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding)
const refused = (errorClass: string, message: RegExp) => (cause: unknown) => {
  const { class: found, message: text } = cause as { class?: string; message: string }
  assert.equal(found, errorClass)
  assert.match(text, message)
  return true
}

describe('parseBody', () => {
  it('reads every JSON value as JSON.parse does, with or without a byte order mark', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, noUnicodeString: false }), text => {
        const value = JSON.parse(text) as unknown
        if (Array.isArray(value) && value.length > MOST_MESSAGES) return assert.equal(parseBody(bytes(text)), LONG_LIST)
        assert.deepEqual(parseBody(bytes(text)), value)
        assert.deepEqual(parseBody(bytes(`\ufeff${text}`)), value)
      }),
    )
  })

  it('counts the members of a list, whatever they hold and whatever stands before it', () => {
    const members = ['{}', '[1,2,[3]]', '{"a":[1,2],"b":{"c":","}}', '"\\"],[\\\\"', '"ü,[𝄞"', 'null', '-1.5e3']
    const list = (length: number) =>
      `[${Array.from({ length }, (_, index) => members[index % members.length]).join(' ,\n')}]`
    for (const before of ['', '\ufeff', ' \t\r\n']) {
      const most = before + list(MOST_MESSAGES)
      assert.equal((parseBody(bytes(most)) as unknown[]).length, MOST_MESSAGES)
      assert.equal(parseBody(bytes(before + list(MOST_MESSAGES + 1))), LONG_LIST)
    }
    const inside = `{"list":${list(1000)}}`
    assert.deepEqual(parseBody(bytes(inside)), JSON.parse(inside))
  })

  it('does not parse a list that is too long: what follows its members does not count', () => {
    assert.equal(parseBody(bytes(`[${'0,'.repeat(MOST_MESSAGES)}`)), LONG_LIST)
  })

  it('refuses more values than it is told, in members, in lists in lists, and under a false Content-Encoding', () => {
    const many = refused('INVALID_REQUEST', /^The body has more than 50 values\. Send fewer\.$/)
    const fields = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n])))
    for (const text of [fields(51), `{"x":[${'0,'.repeat(50)}0]}`, '['.repeat(51), `\ufeff${fields(51)}`])
      assert.throws(() => parseBody(bytes(text), null, 50), many, text.slice(0, 40))
    assert.throws(() => parseBody(bytes(fields(51)), 'br', 50), refused('INVALID_REQUEST', /compressed/))
    assert.deepEqual(parseBody(bytes(fields(40)), 'br', 50), JSON.parse(fields(40)))
  })

  it('reads UTF-8 alone, and nothing compressed', () => {
    const text = '{"a":"ü"}'
    for (const encoding of ['utf16le', 'latin1'] as const)
      assert.throws(() => parseBody(bytes(text, encoding)), refused('PARSE_ERROR', /UTF-8/), encoding)
    assert.throws(() => parseBody(Buffer.concat([bytes('\ufeff', 'utf16le'), bytes(text, 'utf16le')])))
    assert.throws(() => parseBody(bytes('\ufeff\ufeff{}')), refused('PARSE_ERROR', /UTF-8/), 'two marks')
    const long = `[${'0,'.repeat(100_000)}0]`
    assert.throws(() => parseBody(gzipSync(long)), refused('INVALID_REQUEST', /compressed/))
    assert.throws(() => parseBody(brotliCompressSync(long), 'br'), refused('INVALID_REQUEST', /compressed/))
  })

  it('takes the last of duplicate keys, and no prototype', () => {
    const read = parseBody(bytes('{"method":"a","method":"b","__proto__":{"id":1}}')) as Record<string, unknown>
    assert.equal(read.method, 'b')
    assert.equal(read.id, undefined)
    assert.equal(Object.getPrototypeOf(read), Object.prototype)
  })
})

describe('a body that a parser of the host has read', () => {
  it('is refused if it is nested so deeply that it cannot be written again', () => {
    const body = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`) as unknown
    assert.throws(() => unparse({ body }, 'application/json'), refused('INVALID_REQUEST', /nested too deeply/))
  })
})
