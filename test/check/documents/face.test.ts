import assert from 'node:assert/strict'
import { type Name, publicFace } from './face.js'
import { NAMES } from './names.js'

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

  it('has an example for every function', () => {
    const functions = [...face.values()].flat().filter(({ isFunction }) => isFunction)
    assert.ok(functions.length >= 15)
    assert.deepEqual(
      functions.filter(({ hasExample }) => !hasExample).map(({ name }) => name),
      [],
    )
  })
})
