import assert from 'node:assert/strict'
import { assessed, MADE_UP, REAL } from './data/assessed.js'
import { alike } from './data/differences.js'
import { FOLD_NAMES, FOLDS, type FoldName } from './data/folds.js'
import { realData } from './data/folder.js'
import { groupBy } from './data/group.js'
import { sharesBelow } from './data/ownership.js'
import { amount, type Cells, readTable, text } from './data/package.js'
import { assertFold, pointOf } from './data/reading.js'
import { readmeTable } from './data/readme.js'
import { TINY_ENTITIES } from './data/tiny.js'
import { type Viewpoint, type Worked, workOut } from './data/worked.js'

const all = assessed()
const VIEWS = ['net', 'gross'] as const
/** A project with more activities is read from two viewpoints alone, for the time that it takes. */
const MANY = 10_000

describe('the columns of the folds', () => {
  for (const key of ['tiny', ...REAL.slice(0, 1)])
    for (const fold of FOLD_NAMES)
      it(`${key}: ${fold}`, async () => {
        const { columns } = await all.current.describe(all.current.project(key), fold)
        assert.deepEqual(columns, FOLDS[fold].columns)
      })
})

describe('the rows of the folds, worked out from the CSV files', () => {
  for (const key of ['tiny', ...MADE_UP, ...REAL])
    it(`${key}: net and gross, from the root and from a subtree`, async () => {
      const worked = workOut(all.current.project(key))
      for (const from of viewpoints(worked)) {
        const expected = worked.folds(from)
        await Promise.all(FOLD_NAMES.map(fold => assertFold(all.current, worked, from, fold, expected[fold])))
      }
    })
})

/** The root, and the entity below it from which the most shares are other than 1. */
function viewpoints({ ownership, activities }: Worked): Viewpoint[] {
  const partial = [...ownership.ids.keys()].map(entity => {
    const shares = entity === ownership.root ? [] : [...sharesBelow(ownership, entity).values()]
    return { entity, shares: shares.filter(share => share !== 1).length }
  })
  const subtree = partial.reduce((best, next) => (next.shares >= best.shares ? next : best)).entity
  if (activities.length > MANY) {
    return [
      { entity: ownership.root, view: 'net' },
      { entity: subtree, view: 'gross' },
    ]
  }
  return [ownership.root, subtree].flatMap(entity => VIEWS.map(view => ({ entity, view })))
}
