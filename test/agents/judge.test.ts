import assert from 'node:assert/strict'
import { sumOf, tally, tallyTable } from './judge.js'
import { areGolden, holdGolden } from './rows.js'

describe('the judgement of hints', () => {
  const tallies = tally([
    { careful: [], hurried: { deserves: 'value', has: ['value', 'join'] } },
    { careful: [], hurried: { deserves: 'value', has: ['range'] } },
    { careful: ['unit', 'unit', 'made up'], hurried: { deserves: 'null', has: [] } },
    { careful: ['unit'] },
  ])

  it('counts what is flagged, missed and falsely flagged, by the kind that a statement deserves or has', () => {
    const counted = [...tallies].filter(([, each]) => Object.values(each).some(count => count > 0))
    assert.deepEqual(counted, [
      ['value', { flagged: 1, missed: 1, falselyFlagged: 0 }],
      ['unit', { flagged: 0, missed: 0, falselyFlagged: 2 }],
      ['null', { flagged: 0, missed: 1, falselyFlagged: 0 }],
      ['made up', { flagged: 0, missed: 0, falselyFlagged: 1 }],
    ])
    assert.deepEqual(sumOf(tallies), { flagged: 1, missed: 2, falselyFlagged: 3 })
  })

  it('is printed with a row per kind', () => {
    const lines = tallyTable(tallies).split('\n')
    assert.deepEqual([lines.length, lines[0]], [14, 'kind        flagged  missed  falsely flagged'])
    assert.match(lines.at(-1) ?? '', /^all +1 +2 +3$/)
  })
})

describe('rows of an answer', () => {
  const golden = [
    ['a', 1],
    ['b', 2],
  ]

  it('are golden in any order, unless the order counts', () => {
    const turned = [...golden].reverse()
    assert.deepEqual([areGolden(turned, golden), areGolden(turned, golden, true)], [true, false])
    assert.equal(areGolden(golden, golden, true), true)
  })

  for (const [what, rows] of [
    [
      'another number',
      [
        ['a', 1],
        ['b', 2.01],
      ],
    ],
    [
      'a number as text',
      [
        ['a', 1],
        ['b', '2'],
      ],
    ],
    [
      'a row twice',
      [
        ['a', 1],
        ['a', 1],
      ],
    ],
    ['one row', [['a', 1]]],
    [
      'a row more',
      [
        ['a', 1],
        ['b', 2],
        ['b', 2],
      ],
    ],
    [
      'NULL',
      [
        ['a', 1],
        ['b', null],
      ],
    ],
  ] as const)
    it(`are not golden with ${what}`, () => {
      assert.deepEqual([areGolden(rows, golden), holdGolden(rows, golden)], [false, false])
    })

  it('hold the golden ones beside other columns, in any order of the columns, but not across rows', () => {
    const wide = [
      [2, 'x', 'b'],
      [1, 'y', 'a'],
    ]
    assert.deepEqual(
      [areGolden(wide, golden), holdGolden(wide, golden), holdGolden(wide, golden, true)],
      [false, true, false],
    )
    assert.equal(
      holdGolden(
        [
          [1, 'b'],
          [2, 'a'],
        ],
        golden,
      ),
      false,
    )
  })
})
