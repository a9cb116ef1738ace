import type { Suite } from './suite-files.js'
import type { Outcome } from './suite-process.js'

/** Whether a suite passed. A complete run leaves nothing out that lacks what it needs. */
export function isGreen({ failed, skipped, isBroken, isMissing }: Outcome, isComplete: boolean): boolean {
  return failed === 0 && !isBroken && !(isComplete && (isMissing || skipped > 0))
}

/** A row per suite: whether it ran or why not, its tests, and its time. */
export function tableOf(told: readonly (readonly [Suite, Outcome])[], isComplete: boolean): string {
  const rows = told.map(([{ name }, outcome]) => [name, ran(outcome, isComplete), ...numbers(outcome)])
  const all = [['suite', 'ran', 'passed', 'failed', 'skipped', 'seconds'], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0))) ?? []
  return all
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function ran(outcome: Outcome, isComplete: boolean): string {
  const { left, isMissing, isBroken, skipped, passedAlone } = outcome
  if (left !== undefined) return `no: ${left}${isMissing && isComplete ? ', which this run needs' : ''}`
  if (isBroken) return 'yes, but it broke off'
  if (isComplete && skipped > 0) return 'yes, but not all of it: something that it needs is missing'
  return passedAlone ? `yes, ${passedAlone} of its tests at the second try, alone` : 'yes'
}

function numbers({ left, passed, failed, skipped, seconds }: Outcome): string[] {
  return left === undefined ? [passed, failed, skipped, Math.round(seconds)].map(String) : ['', '', '', '']
}

/** The tests of all suites in one plain line, which other programs read; a suite that failed has one failure at least. */
export function closingLine(outcomes: readonly Outcome[], isComplete: boolean): string {
  const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + count(outcome), 0)
  const failed = sum(outcome => outcome.failed || Number(!isGreen(outcome, isComplete)))
  const skipped = sum(outcome => outcome.skipped)
  return `${sum(outcome => outcome.passed)} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
