import { engineContract } from '../engine/engine.js'
import { duckdbSubject } from './engines.js'

describe('the contract holds for duckdbEngine', () => {
  for (const { name, run } of engineContract(duckdbSubject)) it(name, run)
})
