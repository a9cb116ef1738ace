import assert from 'node:assert/strict'
import { KEYS, PROJECT, type Service, sharedService } from '../service/service.js'
import { JSON_ONLY_CASES, statementOf, TYPE_CASES } from './cases.js'
import { assertField, readCsv } from './csv-fields.js'

describe('rows as CSV', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  for (const typeCase of [...TYPE_CASES, ...JSON_ONLY_CASES]) {
    it(`have ${typeCase.name} as JSON has it`, async () => {
      const headers = { authorization: `Bearer ${KEYS.north}`, accept: 'text/csv' }
      const body = JSON.stringify({ projectId: PROJECT, sql: statementOf([typeCase]) })
      const response = await fetch(`${service.url}/public/v1/api/projects/query`, { method: 'POST', headers, body })
      const csv = await response.text()
      assert.equal(response.status, 200, csv)
      const [header, ...records] = readCsv(csv)
      assert.deepEqual(
        header?.map(({ text }) => text),
        [typeCase.name],
      )
      assert.equal(records.length, typeCase.json.length)
      for (const [at, [field]] of records.entries()) assertField(field ?? assert.fail(), typeCase.json[at])
    })
  }
})
