import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import reference from '#assessed/catalogue.js'
import { resolveLimits } from '#lib/call/limits.js'
import { describeQueries } from '#lib/description/describe-api.js'
import { QueryMethods } from '#lib/methods/named-queries.js'
import { wordsFor } from '#lib/words.js'
import { shop } from '../service/shop.js'
import { checks, type OpenApi, objectsIn, resolve } from './document.js'

/** Only keys that are limited to relations make engines read the statements. */
const NO_ENGINES = {
  get main(): never {
    return assert.fail()
  },
}

async function documentOf(catalogue: typeof shop): Promise<OpenApi> {
  const words = wordsFor(catalogue)
  const queries = new QueryMethods(catalogue.queries, words, NO_ENGINES)
  return (await describeQueries('https://data.example', words, { limits: resolveLimits() }, queries)({})) as OpenApi
}

const documents = { shop: await documentOf(shop), reference: await documentOf(reference) }

for (const [name, catalogue] of Object.entries({ shop, reference }))
  describe(`queries.json of the catalogue ${name}`, () => {
    const document = documents[name as keyof typeof documents]

    it('is a valid OpenAPI 3.1 document with a path for each version', async () => {
      const validator = new Validator()
      const { valid, errors } = await validator.validate(structuredClone(document) as never)
      assert.ok(valid, JSON.stringify(errors, null, 2))
      const paths = catalogue.queries.map(({ name, version }) => `/public/v1/queries/${name}@${version}`)
      assert.deepEqual(Object.keys(document.paths), paths)
    })

    it('has schemas that are strictly valid, used, and no SQL', () => {
      const check = checks(document)
      const text = JSON.stringify(document)
      for (const title of Object.keys(document.components.schemas)) {
        check({ $ref: `#/components/schemas/${title}` })
        assert.ok(text.includes(`"#/components/schemas/${title}"`), title)
      }
      for (const word of ['ORDER BY', '= $']) assert.ok(!text.includes(word), word)
    })

    it('has what generators take: references without siblings, no list of types, no list for a default', () => {
      for (const object of objectsIn(document)) {
        if ('$ref' in object) {
          assert.deepEqual(Object.keys(object), ['$ref'])
          assert.ok(resolve(document, String(object.$ref)), String(object.$ref))
        }
        assert.ok(!Array.isArray(object.type), JSON.stringify(object))
        assert.ok(object.default === null || typeof object.default !== 'object', JSON.stringify(object))
      }
    })

    it('has examples that its schemas accept', () => {
      const check = checks(document)
      for (const { post } of Object.values(document.paths)) {
        const { schema, example } = post?.requestBody?.content['application/json'] ?? assert.fail()
        assert.equal(check(schema)(example), null)
      }
    })
  })

describe('queries.json', () => {
  const { components } = documents.shop
  const { BestProductsV1Parameters, OrdersOfCustomerV1Parameters, OrdersOfCustomerV1Row } = components.schemas

  it('types parameters: values, defaults and NULL', () => {
    assert.deepEqual(BestProductsV1Parameters, {
      type: 'object',
      title: 'BestProductsV1Parameters',
      description: 'The values that the query is run with.',
      properties: {
        category: {
          anyOf: [{ type: 'string', enum: ['kitchen', 'garden', 'office', 'outdoors'] }, { type: 'null' }],
          description: 'Department of the shop; NULL for all (VARCHAR).',
          default: null,
        },
        least_units: {
          anyOf: [{ type: 'integer', minimum: -2147483648, maximum: 2147483647 }, { type: 'null' }],
          description: 'Fewest that were sold (INTEGER).',
          default: 1,
        },
      },
      additionalProperties: false,
    })
    assert.deepEqual(OrdersOfCustomerV1Parameters?.required, ['customer'])
  })

  it('types wide numbers so that generators of code keep all their digits', () => {
    const { WideInteger, WideDecimal } = components.schemas
    assert.deepEqual(WideInteger?.oneOf, [
      { type: 'integer', format: 'int64' },
      { type: 'string', pattern: '^-?[0-9]+$' },
    ])
    assert.deepEqual(WideDecimal?.oneOf, [{ type: 'number' }, { type: 'string', pattern: '^-?[0-9]+([.][0-9]+)?$' }])
  })

  it('types rows by the columns that the catalogue declares', () => {
    assert.deepEqual(OrdersOfCustomerV1Row?.required, Object.keys(OrdersOfCustomerV1Row?.properties as object))
    const { total, state } = OrdersOfCustomerV1Row?.properties as Record<string, object>
    assert.deepEqual(total, {
      anyOf: [{ type: 'number' }, { type: 'null' }],
      description: 'Items and shipping, taxes included. Unit: currency. DECIMAL(12,2).',
    })
    assert.deepEqual(state, {
      anyOf: [{ type: 'string' }, { type: 'null' }],
      description: 'open: not paid yet; paid; cancelled: never paid. VARCHAR.',
    })
  })
})
