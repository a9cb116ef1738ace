import { table } from '#server/cli/print.js'
import { KINDS, type Kind } from './question.js'

/** The kinds of the hints that the statements of a question have. */
export interface Judged {
  /** Of the careful statement, which deserves none. */
  careful: readonly string[]
  /** Of the hurried statement, and the kind that it deserves; undefined without one. */
  hurried?: { deserves: Kind; has: readonly string[] }
}

/** How often a kind of hint was deserved and given, deserved and not given, and given to a careful statement. */
interface Tally {
  flagged: number
  missed: number
  falselyFlagged: number
}

/** Counts hints by kind. A hurried statement is missed that has hints of other kinds alone. */
export function tally(judged: readonly Judged[]): ReadonlyMap<string, Tally> {
  const strange = judged.flatMap(({ careful }) => careful).filter(kind => !(KINDS as readonly string[]).includes(kind))
  return new Map(
    [...KINDS, ...new Set(strange)].map(kind => {
      const deserving = judged.flatMap(({ hurried }) => (hurried?.deserves === kind ? [hurried.has] : []))
      const flagged = deserving.filter(has => has.includes(kind)).length
      const falselyFlagged = judged.filter(({ careful }) => careful.includes(kind)).length
      return [kind, { flagged, missed: deserving.length - flagged, falselyFlagged }]
    }),
  )
}

/** The sum of all kinds. */
export function sumOf(tallies: ReadonlyMap<string, Tally>): Tally {
  const sum = (of: keyof Tally) => [...tallies.values()].reduce((total, each) => total + each[of], 0)
  return { flagged: sum('flagged'), missed: sum('missed'), falselyFlagged: sum('falselyFlagged') }
}

/** The counts as a table, with a row per kind and one of all. */
export function tallyTable(tallies: ReadonlyMap<string, Tally>): string {
  const row = (kind: string, { flagged, missed, falselyFlagged }: Tally) => [
    kind,
    ...[flagged, missed, falselyFlagged].map(String),
  ]
  return table([
    ['kind', 'flagged', 'missed', 'falsely flagged'],
    ...[...tallies].map(([kind, counts]) => row(kind, counts)),
    row('all', sumOf(tallies)),
  ])
}
