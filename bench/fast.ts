import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type * as library from 'foldgate'
import { type AnalyticsApi, defineQuery } from 'foldgate'
import catalogue from '#assessed/catalogue.js'
import { AUTHORIZATION, largestProject, timed } from './assessed.js'
import { post } from './open.js'
import type { Figure } from './run.js'

const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
/** Below the packages that the copies import. */
const COPIES = fileURLToPath(new URL('../node_modules/.cache/foldgate-fast/', import.meta.url))
const ROUNDS = 150
const WARM_UP = 30
const TOGETHER = 16

/** What is asked in a round, whose number makes statements and values new. */
type Workload = (api: AnalyticsApi, projectId: string, n: number) => Promise<unknown>

const ask = async (api: AnalyticsApi, method: string, params: object) => {
  const { status, tail } = await post(api, method, params)
  if (status !== 200) throw new Error(`the answer was ${status}: ${tail}`)
}

const COLUMNS = { n: 'INTEGER', total: 'DECIMAL(38,3)', names: 'STRUCT(a VARCHAR, b DATE)[]' }
const DECLARED = defineQuery({
  name: 'declared',
  version: 1,
  about: 'A row with declared columns',
  parameters: { n: { type: 'INTEGER', about: 'Another number in each round' } },
  columns: COLUMNS,
  sql: `SELECT $n AS n, ${Object.entries(COLUMNS)
    .slice(1)
    .map(([name, type]) => `CAST(NULL AS ${type}) AS ${name}`)
    .join(', ')}`,
})

const WORKLOADS = {
  'a new statement': (api, projectId, n) =>
    ask(api, 'query', { projectId, sql: `SELECT count(*) AS sites, ${n} AS n${n} FROM sites` }),
  'another number': (api, projectId, n) =>
    ask(api, 'query', { projectId, sql: `SELECT count(*) AS sites, ${n} AS n FROM sites` }),
  'a new value': (api, projectId, n) => ask(api, 'query', { projectId, sql: GROUPED('$n'), parameters: { n } }),
  'a new long statement': (api, projectId, n) => ask(api, 'query', { projectId, sql: GROUPED(String(n)) }),
  'a statement with random()': (api, projectId, n) =>
    ask(api, 'query', { projectId, sql: `SELECT random() AS r, ${n} AS n` }),
  '16 at once': (api, projectId, n) =>
    Promise.all(
      Array.from({ length: TOGETHER }, (_, at) =>
        ask(api, 'query', { projectId, sql: `SELECT count(*) AS sites, ${n} AS n${n}, ${at} AS at FROM sites` }),
      ),
    ),
  'a named query': (api, projectId, n) =>
    api.call('queries/declared', { projectId, parameters: { n } }, { authorization: AUTHORIZATION }),
  'an export': (api, projectId, n) => exported(api, projectId, n, 60_000, 'ndjson'),
  'an Arrow export': (api, projectId, n) => exported(api, projectId, n, 300_000, 'arrow'),
  'a small Arrow export': (api, projectId, n) => exported(api, projectId, n, 1_000, 'arrow'),
} satisfies Record<string, Workload>

function exported(api: AnalyticsApi, projectId: string, n: number, rows: number, format: string) {
  const sql = `SELECT *, ${n} AS n FROM risk_rows, range(10) LIMIT ${rows}`
  return ask(api, 'export', { projectId, sql, format })
}

function GROUPED(n: string): string {
  return `SELECT r.risk_code, r.sector_code, count(*) AS rows, avg(r.score) AS score, max(s.site_key) AS site
FROM (SELECT * FROM risk_rows LIMIT 500) r JOIN (SELECT * FROM sites LIMIT 500) s USING (site_key)
WHERE r.score > ${n} * 0.0001 GROUP BY ALL HAVING count(*) > ${n} % 7 ORDER BY ALL LIMIT 20`
}

/** The time that the fastest twentieth of the rounds takes at most: other work of the machine lengthens the others. */
const fastest = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 20)] ?? Number.NaN

/** Something that is only fast: a file of the compiled library, and what stands there without it. */
interface Trick {
  what: string
  file: string
  without: readonly (readonly [string, string])[]
  asked: keyof typeof WORKLOADS
}

const TRICKS: readonly Trick[] = JSON.parse(await readFile(new URL('fast.json', import.meta.url), 'utf8'))

/**
 * Leaves each thing that only makes the engine faster out of a copy of the compiled library, and asks both in turn. The
 * scripts of both are not bundled.
 */
export async function run(): Promise<Figure[]> {
  const project = await largestProject()
  const open = async (trick?: Trick) => {
    const folder = join(COPIES, String(trick ? TRICKS.indexOf(trick) : 'all'))
    await mkdir(COPIES, { recursive: true })
    await cp(DIST, folder, { recursive: true, filter: path => !path.startsWith(join(DIST, 'bundle')) })
    if (trick) {
      const file = join(folder, trick.file)
      let text = await readFile(file, 'utf8')
      for (const [there, instead] of trick.without) {
        if (!text.includes(there)) throw new Error(`${trick.file} has no ${there}`)
        text = text.replaceAll(there, instead)
      }
      await writeFile(file, text)
    }
    const copy = (await import(pathToFileURL(join(folder, 'index.js')).href)) as typeof library
    return project.open({ catalogue: { ...catalogue, queries: [DECLARED] }, engine: { connections: 2 }, library: copy })
  }
  const only = process.env.FOLDGATE_FAST
  const figures: Figure[] = []
  let asked = 100_000
  try {
    for (const trick of TRICKS) {
      if (only && !new RegExp(only).test(trick.what)) continue
      const both = [await open(), await open(trick)] // as old as each other
      try {
        const times: [number[], number[]] = [[], []]
        const part = trick.asked.endsWith('export') ? 0.1 : 1
        for (let round = -WARM_UP * part; round < ROUNDS * part; round++)
          for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
            const each = both[at] as AnalyticsApi
            asked += 1
            const ms = await timed(() => WORKLOADS[trick.asked](each, project.projectId, asked))
            if (round >= 0) times[at]?.push(ms)
          }
        const [ours, theirs] = times.map(fastest) as [number, number]
        figures.push({
          what: `${trick.what}: ${trick.asked}`,
          measured: `${ours.toFixed(2)} ms, ${Math.round((theirs / ours - 1) * 100)} % more without`,
          baseline: `${theirs.toFixed(2)} ms without`,
          bar: '5 % more',
        })
        console.log(figures.at(-1)?.what, figures.at(-1)?.measured)
      } finally {
        await Promise.all(both.map(each => each.close()))
      }
    }
    return figures
  } finally {
    await project.remove()
    await rm(COPIES, { recursive: true, force: true })
  }
}
