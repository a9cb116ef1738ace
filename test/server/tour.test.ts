import assert from 'node:assert/strict'
import { glossary } from '#server/demo/tour.js'

const LONG =
  'One risk over all it touches in view: its severity is the highest, and its share the sum of those of the activities, ' +
  'in species.yr (species lost for a year). share follows the view.'

describe('the relations in the tour of the demonstration', () => {
  const text = glossary([{ name: 'risks', about: LONG }, { name: 'risk_rows', about: 'One row.' }, { name: 'bare' }])
  const lines = text.split('\n')

  it('have their whole first sentence, also after a colon', () => {
    const words = lines.map(line => line.trim()).join(' ')
    assert.equal(words, `risks      ${LONG.replace(' share follows the view.', '')} risk_rows  One row. bare`)
  })

  it('are wrapped beside their names, so that 100 columns show them indented', () => {
    for (const line of lines) assert.ok(line.length <= 98, line)
    assert.deepEqual(
      lines.map(line => line.slice(0, 11).trim()),
      ['risks', '', 'risk_rows', 'bare'],
    )
    assert.ok(lines.every(line => line === 'bare' || /^.{9} {2}\S/.test(line)))
  })
})
