import { catalogueContract } from 'foldgate-contracts'
import catalogue from '../../../../examples/shop/catalogue.js'

describe('the contract holds for the catalogue of the shop', () => {
  for (const { name, run } of catalogueContract(() => ({ catalogue }))) it(name, run)
})
