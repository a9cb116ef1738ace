import assert from 'node:assert/strict'
import { spellDouble, spellFloat } from '#lib/values/numbers.js'
import { Output } from '#lib/values/output.js'
import { writeStrictJson } from '#lib/values/strict-json.js'
import { spellDate, spellTimestamp } from '#lib/values/temporal.js'

/** Significant digits of a number as it is written. */
function digitsOf(text: string): number {
  const digits = text.replace(/e.*/, '').replace(/[-.]/g, '').replace(/^0+/, '')
  return Math.max(1, digits.replace(/0+$/, '').length)
}

/** The decimals of so many digits next to a number, one step further on both sides included. */
function around(value: number, digits: number): number[] {
  const [mantissa = '', exponent = ''] = value.toExponential(digits - 1).split('e')
  const [whole, scale] = [BigInt(mantissa.replace('.', '')), Number(exponent) - digits + 1]
  return [-1n, 0n, 1n].map(step => Number(`${whole + step}e${scale}`))
}

describe('how values are spelled', () => {
  const random = (most: number) => (Math.random() - 0.5) * 2 * most

  it('is read back as the same number, powers of two and the smallest included', () => {
    const powers = Array.from({ length: 2098 }, (_, index) => 2 ** (index - 1074))
    const others = Array.from({ length: 5000 }, () => random(1) * 10 ** Math.round(random(300)))
    for (const value of [...powers, ...others, 0.1, 1e15, 1e16, 1e21, 9.999e-5])
      assert.equal(Number(spellDouble(value)), value)
    for (const value of [...powers, ...others].map(Math.fround).filter(Number.isFinite))
      assert.equal(Math.fround(Number(spellFloat(value))), value)
    assert.deepEqual([spellDouble(-0), spellDouble(2 ** 807)], ['-0.0', '8.535058474086213e+242'])
    assert.deepEqual([spellFloat(Math.fround(0.1)), spellFloat(2 ** 90)], ['0.1', '1.2379401e+27'])
  })

  it('has the fewest digits with which a FLOAT is read back, whatever its exponent, subnormals included', () => {
    const floats = new Float32Array(1)
    const bits = new Uint32Array(floats.buffer)
    const ofBits = (written: number) => {
      bits[0] = written
      return floats[0] as number
    }
    const patterns = Array.from({ length: 255 }, (_, exponent) => exponent).flatMap(exponent => {
      const some = Array.from({ length: 12 }, () => Math.floor(Math.random() * 2 ** 23))
      return [0, 1, 2, 0x3fffff, 0x400000, 0x7fffff, ...some].map(fraction => exponent * 2 ** 23 + fraction)
    })
    const subnormal = Array.from({ length: 2_000 }, (_, at) => (at < 1_000 ? at : Math.floor(Math.random() * 2 ** 23)))
    for (const pattern of [...patterns, ...subnormal]) {
      const value = ofBits(pattern)
      for (const signed of [value, -value]) {
        const text = spellFloat(signed)
        assert.ok(Object.is(Math.fround(Number(text)), signed), `${signed}: ${text}`)
        const shorter = digitsOf(text) - 1
        // A decimal of fewer digits lies on either side of the value: one is the nearest, the other beyond it.
        for (const decimal of shorter > 0 ? around(signed, shorter) : [])
          assert.notEqual(Math.fround(decimal), signed, `${text}: ${decimal} is shorter`)
      }
    }
    assert.deepEqual([1, 0x7fffff, 0x800000, 22].map(ofBits).map(spellFloat), [
      '1e-45',
      '1.1754942e-38',
      '1.1754944e-38',
      '3.1e-44',
    ])
  })

  it('is the ISO 8601 of JavaScript for dates and times', () => {
    for (let round = 0; round < 5000; round++) {
      const ms = Math.round(random(8.64e15))
      const iso = new Date(ms).toISOString()
      assert.equal(spellDate(Math.floor(ms / 86_400_000)), iso.replace(/T.*/, ''))
      assert.equal(spellTimestamp(BigInt(ms) * 1000n), iso.replace(/\.?0*Z$/, ''))
    }
  })

  it('takes as JSON what JSON.parse takes, and nothing that could close the object around it', () => {
    const tokens = ['{', '}', '[', ']', ',', ':', '"a"', '1', '-0.5e+3', 'null', ' ', '\n', '"\\u00e9"', '01', '"']
    const written = (text: string) => {
      const [out, bytes] = [new Output(), Buffer.from(text)]
      writeStrictJson({ bytes, from: 0, to: bytes.length }, out, { inOneLine: true })
      return out.take().toString()
    }
    for (let round = 0; round < 20_000; round++) {
      const length = 1 + Math.floor(Math.random() * 7)
      const text = Array.from({ length }, () => tokens[Math.floor(Math.random() * tokens.length)]).join('')
      const strict = text.replace(/,(\s*[\]}])/g, '$1') // DuckDB takes a comma before a closing bracket
      let parsed: unknown
      try {
        parsed = JSON.parse(text)
      } catch {
        if (strict === text) assert.throws(() => written(text), text)
        continue
      }
      assert.deepEqual(JSON.parse(written(text)), parsed, text)
    }
  })
})
