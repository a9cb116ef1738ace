import { object, type Schema } from '../call/schema.js'
import { plainly } from '../words.js'
import type { Method } from './method.js'

/** Fields of params that choose a point of view. Without a tree of ownership, no method reads them. */
const POINT_FIELDS: ReadonlySet<string> = new Set(['entityId', 'ownershipView'])

/** A method as it is for a catalogue without a tree of ownership: nothing in it speaks of one. */
export function withoutTree(method: Method): Method {
  const { params, result, example, errors } = method
  return {
    ...method,
    params: withoutPoint(params),
    result: plainly(result),
    errors: errors.filter(each => each !== 'NOT_FOUND'), // which is about the entity
    example: {
      params: withoutFields(example.params),
      result: method.name === 'projects/describe' ? DESCRIPTION : example.result,
    },
  }
}

/** The schema of params without the fields of the point of view: callers who send them get a warning. */
function withoutPoint(schema: Schema<unknown>): Schema<unknown> {
  const { fields, json } = schema
  if (!fields) return schema
  const { title, description } = plainly(json)
  const plain = object(withoutFields(fields), description as string)
  return { ...plain, json: { title, ...plain.json } }
}

function withoutFields<Value>(fields: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !POINT_FIELDS.has(name)))
}

const DESCRIPTION = {
  relations: [
    { name: 'revenue', kind: 'fold', about: 'One month, with what all customers paid in it.' },
    { name: 'orders', kind: 'table' },
  ],
  examples: [
    {
      question: 'How much did we earn in each month?',
      sql: 'SELECT month, revenue FROM revenue ORDER BY month',
    },
  ],
}
