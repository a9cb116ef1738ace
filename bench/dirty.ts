import { type Finding, searchDirty } from '../test/check/hostile/dirty-search.js'
import type { Figure } from './run.js'

/** Searches for accepted statements that return memory which they have not written; prints one per function. */
export async function run(minutes = 60): Promise<Figure[]> {
  const seed = Number(process.env.FOLDGATE_SEED ?? Date.now() % 2 ** 31)
  const found = await searchDirty(seed, { endsAt: performance.now() + minutes * 60_000 })
  const shortest = new Map<string, Finding>()
  for (const finding of found.findings) {
    const known = shortest.get(finding.about)
    if (!known || finding.sql.length < known.sql.length) shortest.set(finding.about, finding)
  }
  for (const { about, sql, what } of shortest.values()) process.stdout.write(`${about}: ${what}\n  ${sql}\n`)
  const { statements, answered, refused, over, covered, uncovered, findings } = found
  process.stdout.write(`without an answer: ${uncovered.join(', ')}\n`)
  return [
    {
      what: `statements of seed ${seed}`,
      measured: `${statements}`,
      baseline: `${answered} answered alike, ${refused} refused, ${over} over their limits`,
      bar: '',
    },
    {
      what: 'functions with an answer',
      measured: `${covered}`,
      baseline: `${covered + uncovered.length} of the inventory`,
      bar: 'all',
    },
    { what: 'findings', measured: `${findings.length}`, baseline: `${shortest.size} functions`, bar: '0' },
  ]
}
