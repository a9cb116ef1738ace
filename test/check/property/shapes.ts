import fc from 'fast-check'
import { choice, integer, named, nullable, object, optional, type Schema, text, uuid } from '#lib/schema.js'
import { PROJECT } from '../../service/service.js'

/** A schema as data, so that counterexamples are readable. */
export type Shape =
  | { is: 'uuid' | 'text' }
  | { is: 'integer'; minimum: number; maximum: number }
  | { is: 'choice'; values: string[] }
  | { is: 'object'; title: string | null; fields: Record<string, { shape: Shape; optional: boolean }> }
  | { is: 'nullable'; shape: Shape }

type ObjectShape = Extract<Shape, { is: 'object' }>

const shapes = fc.letrec<{ shape: Shape; objectShape: ObjectShape }>(tie => ({
  shape: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<Shape>({ is: 'uuid' }, { is: 'text' }),
    fc
      .tuple(fc.integer({ min: -3, max: 3 }), fc.nat(600))
      .map(([minimum, more]): Shape => ({ is: 'integer', minimum, maximum: minimum + more })),
    fc.constantFrom<Shape>({ is: 'choice', values: ['net', 'gross'] }, { is: 'choice', values: ['', '0', 'toString'] }),
    tie('objectShape'),
    tie('shape')
      .filter(({ is }) => is !== 'nullable')
      .map((inner): Shape => ({ is: 'nullable', shape: inner })),
  ),
  objectShape: fc.record({
    is: fc.constant('object' as const),
    title: fc.constantFrom(null, 'Named'),
    fields: fc.dictionary(
      fc.constantFrom('page', 'limit', 'constructor', 'toString', 'projectId', 'x.y'),
      fc.record({ shape: tie('shape'), optional: fc.boolean() }),
      { maxKeys: 3, noNullPrototype: true },
    ),
  }),
}))

/** Shapes of params. */
export const paramsShape: fc.Arbitrary<ObjectShape> = shapes.objectShape

/** The schema of a shape. */
export function build(given: Shape): Schema<unknown> {
  switch (given.is) {
    case 'uuid':
      return uuid('An id.')
    case 'text':
      return text('A text.')
    case 'integer':
      return integer(given.minimum, given.maximum, 'A number.')
    case 'choice':
      return choice(given.values, 'One of them.')
    case 'nullable':
      return nullable(build(given.shape))
    case 'object': {
      const fields = Object.entries(given.fields).map(([name, field]) => {
        const schema = build(field.shape)
        return [name, field.optional ? optional(schema) : schema] as const
      })
      const made: Schema<unknown> = object(Object.fromEntries(fields), 'Some fields.')
      return given.title ? named(given.title, made) : made
    }
  }
}

/** Values that fit a shape, or nearly so. */
export function fitting(given: Shape): fc.Arbitrary<unknown> {
  switch (given.is) {
    case 'uuid':
      return fc.constantFrom(PROJECT, PROJECT.toUpperCase(), `urn:uuid:${PROJECT}`, PROJECT.slice(1))
    case 'text':
      return fc.string()
    case 'integer':
      return fc.oneof(
        fc.integer({ min: given.minimum - 1, max: given.maximum + 1 }),
        fc.constantFrom(-0, 0.5, 1e300, given.minimum, given.maximum),
      )
    case 'choice':
      return fc.constantFrom(...given.values, 'neither')
    case 'nullable':
      return fc.option(fitting(given.shape), { freq: 5 })
    case 'object': {
      const members = Object.entries(given.fields).map(([name, field]) =>
        fc.tuple(fc.constant(name), fitting(field.shape), fc.nat(9)),
      )
      // Sometimes a field is left out, which only optional ones may be.
      return fc.tuple(...members).map(all => Object.fromEntries(all.filter(([, , kept]) => kept > 0)))
    }
  }
}

/** What a method should get of a fitting value: only the known fields, and ids in lower case. */
export function known(given: Shape, value: unknown): unknown {
  if (given.is === 'nullable') return value === null ? null : known(given.shape, value)
  if (given.is === 'uuid') return String(value).toLowerCase()
  if (given.is !== 'object') return value
  const members = Object.entries(value as object).filter(([name]) => Object.hasOwn(given.fields, name))
  return Object.fromEntries(members.map(([name, member]) => [name, known(given.fields[name]?.shape as Shape, member)]))
}
