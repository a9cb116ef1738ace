import assert from 'node:assert/strict'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FINE, failing } from '../client/scripted.js'
import { CALLERS, demoService, need, numberAfter, STRANGE, withScript } from './demo.js'

const EXAMPLE = join(CALLERS, 'r/analytics.R')
const ROWS = fileURLToPath(new URL('./rows.R', import.meta.url))
const LIST = `source("${EXAMPLE}"); cat(names(call_method("projects/list", list(page = list(limit = 1)))))`

describe('the example in R', () => {
  const demo = demoService()
  before(async function () {
    await need(this, 'Rscript', ['-e', 'library(httr2); library(jsonlite)'], 'in R with httr2 and jsonlite')
  })

  it('reads rows and downloads a file', async () => {
    const text = await demo.printed('Rscript', [EXAMPLE])
    assert.match(text, /climate change/)
    assert.ok(numberAfter(text, 'downloaded') > 0)
  })

  it('reads a CSV file as pages have the rows, with texts that are not NA and texts of several lines', async () => {
    assert.equal(await demo.printed('Rscript', [ROWS, EXAMPLE, 'csv']), 'as expected\n')
  })

  it('makes a data frame of rows of every kind, and of none', async () => {
    assert.equal(await demo.printed('Rscript', [ROWS, EXAMPLE, 'kinds']), 'as expected\n')
  })

  it('takes time in proportion to the rows, and a fraction of what binding them to each other takes', async () => {
    const ratios = (await demo.printed('Rscript', [ROWS, EXAMPLE, 'time'])).split(' ').map(Number)
    const [fourTimes = Number.NaN, bound = Number.NaN] = ratios
    // Four times the rows take sixteen times as long if every row copies those before it.
    assert.ok(fourTimes < 9, `four times the rows take ${fourTimes} times as long`)
    assert.ok(bound > 5, `binding the rows takes ${bound} times as long`)
  })

  it('tries again when a proxy answers for a service that is starting, or the service asks for it', async () => {
    const [starting] = STRANGE
    assert.ok(starting)
    const later = failing('RATE_LIMITED', {}, { 'retry-after': '0', 'content-type': 'application/json' })
    const asked = await withScript([starting, later, FINE], async url => {
      assert.equal(await demo.printed('Rscript', ['-e', LIST], { FOLDGATE_URL: url }), 'items')
    })
    assert.equal(asked, 3)
  })

  it('reports a failure by its class, and an answer that is no JSON, without another try', async () => {
    const [, welcome = FINE] = STRANGE
    const cases = [
      { answer: failing('QUERY_TIMEOUT'), expected: /QUERY_TIMEOUT: QUERY_TIMEOUT\./ },
      { answer: welcome, expected: /UNREADABLE: 200 from .*projects\/list is not an answer/ },
    ]
    for (const { answer, expected } of cases) {
      const asked = await withScript([answer, FINE], async url => {
        await assert.rejects(demo.printed('Rscript', ['-e', LIST], { FOLDGATE_URL: url }), expected)
      })
      assert.equal(asked, 1)
    }
  })
})
