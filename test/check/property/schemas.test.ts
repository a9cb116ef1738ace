import assert from 'node:assert/strict'
import Ajv2020 from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { AnalyticsError } from 'foldgate'
import { methodsIn } from '#lib/methods/calls.js'
import { readParams, type Schema } from '#lib/schema.js'
import { wordsFor } from '#lib/words.js'
import { FITS } from './oracle.js'
import { changed, json, request, write } from './requests.js'
import { build, fitting, known, paramsShape } from './shapes.js'

/** The params as a schema reads them; null if it refuses them. */
function read(schema: Schema<unknown>, params: unknown) {
  try {
    return readParams(schema, params)
  } catch (error) {
    assert.ok(error instanceof AnalyticsError && error.class === 'INVALID_PARAMS', String(error))
    return null
  }
}

describe('a struct and its JSON Schema', () => {
  for (const [name, { params }] of Object.entries(methodsIn(wordsFor({ hierarchy: {} })))) {
    const sent = request.filter(({ method }) => method === name).map(one => one.params)
    it(`accept the same params of ${name}`, () => {
      fc.assert(
        fc.property(fc.oneof(sent, changed(sent), json), generated => {
          const value = JSON.parse(write(generated)) as unknown
          assert.equal(read(params, value) !== null, FITS.get(name)?.(value))
        }),
        { numRuns: 1000 },
      )
    })
  }

  it('accept the same values for every shape, and read only the named fields', () => {
    const given = paramsShape.chain(shape => {
      const fits = fitting(shape)
      const value = fc.oneof({ weight: 4, arbitrary: fits }, changed(fits), json)
      return fc.tuple(fc.constant(shape), fc.array(value, { minLength: 5, maxLength: 5 }))
    })
    fc.assert(
      fc.property(given, ([shape, values]) => {
        const schema = build(shape)
        const ajv = new Ajv2020.default({ strict: true, allowUnionTypes: true })
        formats.default(ajv)
        const fits = ajv.compile(schema.json)
        for (const generated of values) {
          const value = JSON.parse(write(generated)) as unknown
          const made = read(schema, value)
          assert.equal(made !== null, fits(value), write(generated).slice(0, 300))
          if (made) assert.deepEqual(made.params, known(shape, value))
        }
      }),
      { numRuns: 120 },
    )
  })
})
