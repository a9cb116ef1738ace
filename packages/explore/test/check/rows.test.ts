import assert from 'node:assert/strict'
import { sized } from '#explore/script/export.js'
import { NO_PAGES, type ReadPages, toldRows, withPage } from '#explore/script/paging.js'
import { columnsOf, fullText, kindOf, numberOf, shortNumber, shortText } from '#explore/script/values.js'

describe('the values of a row', () => {
  const typed = (type: string) => ({ type, kind: kindOf(type) })

  it('keep every digit in copies', () => {
    const values = [null, 'null', 0.1234567890123, false, { a: [1, null, 'x'] }, '9007199254740993']
    assert.deepEqual(
      values.map(value => fullText(value, typed('VARCHAR'))),
      ['null', 'null', '0.1234567890123', 'false', '{"a":[1,null,"x"]}', '9007199254740993'],
    )
  })

  it('are short where people read them', () => {
    const numbers = [0, 7, -1234567, 0.1 + 0.2, 51.44336764271549, 1234.5, 123456.7, 0.00001234567, -3e21, 2 ** 53]
    assert.deepEqual(numbers.map(shortNumber), [
      '0',
      '7',
      '-1,234,567',
      '0.3',
      '51.4434',
      '1,234.5',
      '123,457',
      '0.0000123457',
      '-3e+21',
      '9007200000000000',
    ])
  })

  it('are formatted by the type of their column, and are text where they do not fit it', () => {
    assert.deepEqual(
      ['9007199254740993', 'NaN', 'Infinity', null, 1234].map(value => shortText(value, typed('DOUBLE'))),
      ['9007200000000000', 'NaN', 'Infinity', 'null', '1,234'],
    )
    assert.deepEqual(
      ['2024', '0042', 'a\nb', true, ['x']].map(value => shortText(value, typed('VARCHAR'))),
      ['2024', '0042', 'a\nb', 'true', '["x"]'],
    )
    assert.equal(shortText('2026-01-02T00:00:00', typed('TIMESTAMP')), '2026-01-02')
    assert.equal(shortText('2026-01-02T03:04:05', typed('TIMESTAMP')), '2026-01-02 03:04:05')
  })

  it('keep all digits of whole numbers and of a DECIMAL, whose scale decides how many there are', () => {
    const shown = (type: string, ...values: unknown[]) => values.map(value => shortText(value, typed(type)))
    assert.deepEqual(shown('DECIMAL(18,2)', 12.5, 0, -1234.5, '-9007199254740993.10', 999, null), [
      '12.50',
      '0.00',
      '-1,234.50',
      '-9,007,199,254,740,993.10',
      '999.00',
      'null',
    ])
    assert.deepEqual(shown('DECIMAL(9,0)', 1234567), ['1,234,567'])
    assert.deepEqual(shown('BIGINT', '9007199254740993', 7, -1000), ['9,007,199,254,740,993', '7', '-1,000'])
    assert.equal(fullText(12.5, typed('DECIMAL(18,3)')), '12.500')
    assert.equal(fullText(1e-7, typed('DECIMAL(18,8)')), '0.00000010')
    assert.equal(fullText([12.5], typed('DECIMAL(18,3)[]')), '[12.5]')
  })

  it('are numbers only if they are written as one', () => {
    assert.deepEqual([numberOf(1.5), numberOf('12345678901234567890')], [1.5, 12345678901234567000])
    for (const value of ['', ' ', '1e3', 'NaN', '0x1', null, true, [1]]) assert.ok(Number.isNaN(numberOf(value)))
  })

  it('have the kind that their type in the engine has', () => {
    const kinds = {
      number: ['DOUBLE', 'INTEGER', 'BIGINT', 'UHUGEINT', 'DECIMAL(18,3)', 'TINYINT', 'USMALLINT', 'FLOAT'],
      time: ['DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE', 'TIMESTAMP_NS'],
      boolean: ['BOOLEAN'],
      nested: ['INTEGER[]', 'STRUCT(a INTEGER)', 'MAP(VARCHAR, DOUBLE)', 'DOUBLE[3]', 'JSON'],
      text: ['VARCHAR', 'UUID', 'BLOB', 'INTERVAL', 'TIME', "ENUM('a', 'b')", '"NULL"'],
    }
    for (const [kind, types] of Object.entries(kinds))
      assert.deepEqual(
        types.map(kindOf),
        types.map(() => kind),
      )
  })

  it('have a type and a kind by column', () => {
    assert.deepEqual(columnsOf(['a', 'b'], ['DATE', 'JSON']), [
      { name: 'a', type: 'DATE', kind: 'time' },
      { name: 'b', type: 'JSON', kind: 'nested' },
    ])
  })
})

describe('the pages that were read', () => {
  it('lead forward by cursors and back again', () => {
    let paging: ReadPages = withPage(NO_PAGES, 0, 100, 'a')
    assert.deepEqual(paging.pages, [{ from: 0 }, { from: 100, cursor: 'a' }])
    assert.equal(toldRows(paging, 100), 'Rows 1 to 100, and there are more')
    // A page ends early when its rows are large.
    paging = withPage(paging, 1, 40, 'b')
    paging = withPage(paging, 2, 1, undefined)
    assert.equal(toldRows(paging, 1), 'Row 141 of 141')
    paging = withPage(paging, 1, 40, 'b')
    assert.deepEqual(paging, {
      pages: [{ from: 0 }, { from: 100, cursor: 'a' }, { from: 140, cursor: 'b' }],
      at: 1,
      total: 141,
    })
    assert.equal(toldRows(paging, 40), 'Rows 101 to 140 of 141')
  })

  it('may end at the first page', () => {
    assert.equal(toldRows(withPage(NO_PAGES, 0, 0, undefined), 0), 'No rows')
    assert.equal(toldRows(withPage(NO_PAGES, 0, 1204, undefined), 1204), 'Rows 1 to 1,204 of 1,204')
  })
})

describe('the size of a file', () => {
  it('is displayed in a suitable unit', () => {
    const sizes = [0, 999, 1000, 1_450_000, 2e9, 5e12].map(sized)
    assert.deepEqual(sizes, ['0 bytes', '999 bytes', '1 kB', '1.5 MB', '2 GB', '5,000 GB'])
  })
})
