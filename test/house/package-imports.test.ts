import assert from 'node:assert/strict'
import { OF_AUDIENCES } from './documents.js'
import { circlesIn, importsBelow } from './imports.js'

/** What each package may import besides Node: the library by these of its subpaths, and packages of its users. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  contracts: /^(foldgate(\/(internal|sealing))?|apache-arrow|parquet-wasm)$/,
  explore:
    /^foldgate(\/(client|internal|sealing))?$|^foldgate-server\/parts$|^@codemirror\/|^@lezer\/|^d3-|^topojson|^kysely$/,
  postgres: /^(foldgate(\/(internal|sealing))?|foldgate-server\/parts|kysely|pg|pg-copy-streams)$/,
  s3: /^(foldgate(\/(internal|sealing))?|foldgate-server\/parts|@aws-sdk\/(client-s3|lib-storage))$/,
  transfer:
    /^(foldgate(\/(client|internal|sealing))?|foldgate-server\/parts|@duckdb\/node-api|cli-progress|commander|csv-parse\/sync)$/,
  webhooks: /^(foldgate\/internal|foldgate-server\/parts|commander|koa|kysely|standardwebhooks)$/,
  trino: /^foldgate(\/(engine|internal|sealing))?$/,
}

describe('the imports of the packages for audiences', () => {
  for (const name of OF_AUDIENCES)
    it(`name only the library and peers, and never go round in a circle: foldgate-${name}`, async () => {
      const imports = await importsBelow(new URL(`../../packages/${name}/src/`, import.meta.url).pathname)
      const others = imports.filter(({ from }) => !/^(\.|node:)/.test(from) && !ALLOWED[name]?.test(from))
      assert.deepEqual(others, [])
      assert.deepEqual(circlesIn(imports), [])
    })
})
