import assert from 'node:assert/strict'
import { type Name, publicFace } from './face.js'
import { NAMES } from './names.js'

/** Functions that throw nothing, besides the checks of `foldgate-contracts`: what these find, they reject with later. */
const NEVER_THROW = [
  'openTelemetry',
  'cancelled',
  'defineRule',
  'defineTables',
  'directorySnapshots',
  'tableFiles',
  'toKoaMiddleware',
  'toNodeHandler',
]

describe('the public face of the library', () => {
  let face: Map<string, Name[]>
  before(() => {
    face = publicFace()
    assert.ok(face.delete('foldgate/internal')) // any version may change it
  })

  it('has the agreed names, and no others', () => {
    const found = [...face].map(([entry, names]) => {
      const sorted = (isValue: boolean) =>
        names
          .filter(each => each.isValue === isValue)
          .map(({ name }) => name)
          .sort()
      return [entry, { values: sorted(true), types: sorted(false) }]
    })
    assert.deepEqual(Object.fromEntries(found), NAMES)
  })

  it('has each name once', () => {
    const names = [...face.values()].flat().map(({ name }) => name)
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    )
  })

  it('documents every export, and every member of it', () => {
    const missing = [...face].flatMap(([entry, names]) =>
      names.flatMap(({ undocumented }) => undocumented.map(name => `${entry}: ${name}`)),
    )
    assert.deepEqual(missing, [])
  })

  it('says of every function what it takes, returns and throws', () => {
    const functions = [...face.values()].flat().filter(({ isFunction }) => isFunction)
    const unsaid = functions.flatMap(({ name, untold, tags }) => [
      ...untold.map(parameter => `${name}: @param ${parameter}`),
      ...(tags.includes('returns') ? [] : [`${name}: @returns`]),
      ...(tags.includes('throws') || name.endsWith('Contract') || NEVER_THROW.includes(name)
        ? []
        : [`${name}: @throws`]),
    ])
    assert.deepEqual(unsaid, [])
  })

  it('says of every method that may reject what it throws', () => {
    const unsaid = [...face.values()].flat().flatMap(each => each.unsaid)
    assert.deepEqual(unsaid, [])
  })

  it('has an example for every function', () => {
    const functions = [...face.values()].flat().filter(({ isFunction }) => isFunction)
    assert.ok(functions.length >= 15)
    assert.deepEqual(
      functions.filter(({ hasExample }) => !hasExample).map(({ name }) => name),
      [],
    )
  })
})
