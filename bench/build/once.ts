import { type FSWatcher, watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnalyticsApi, AnalyticsEvent } from 'foldgate'
import catalogue from '#assessed/catalogue.js'
import { type AssessedProject, largestProject } from '../assessed.js'
import { post } from '../open.js'
import type { Figure } from '../run.js'

const QUERIES = 20
const RELATIONS = ['fold_pressures', 'fold_risks', 'risk_rows', 'fold_dependencies', 'dash_ipbes']
const BUILT_IN = 'point_of_view'

/** Counts how often each relation is built: at first, for another point of view, and after a restart. */
export async function buildsOnce(): Promise<Figure[]> {
  const project = await largestProject()
  const cache = join(project.folder, 'engine', 'cache', project.projectId)
  await mkdir(cache, { recursive: true })
  const builds = new Builds(cache)
  const open = () => project.open({ onEvent: event => builds.hear(event) })
  let api = await open()
  try {
    const needed = closureOf(RELATIONS)
    const dependent = [...needed].filter(name => closureOf([name]).has(BUILT_IN))
    const first = await builds.during(() => askAtOnce(api, project, {}))
    const other = await builds.during(() => askAtOnce(api, project, { ownershipView: 'gross' }))
    await api.close()
    api = await open()
    const again = await builds.during(() => askAtOnce(api, project, {}))
    return [
      {
        what: `${QUERIES} first queries at once over ${RELATIONS.length} relations`,
        measured: `${first.made} relations made in ${first.jobs} builds, ${first.twice} of them twice`,
        baseline: `${needed.size} are needed`,
        bar: 'each once',
      },
      {
        what: `${QUERIES} more from another point of view`,
        measured: `${other.made} made, ${other.twice} twice`,
        baseline: `${dependent.length} depend on it`,
        bar: 'those alone',
      },
      { what: 'and after a restart', measured: `${again.made} made`, baseline: '', bar: '0' },
    ]
  } finally {
    await api.close()
    builds.close()
    await project.remove()
  }
}

async function askAtOnce(api: AnalyticsApi, { projectId }: AssessedProject, from: object): Promise<void> {
  const ask = async (number: number) => {
    const sql = `SELECT ${number} AS n, count(*) FROM ${RELATIONS[number % RELATIONS.length]}`
    const { status } = await post(api, 'query', { projectId, sql, ...from })
    if (status !== 200) throw new Error(`a query was answered ${status}`)
  }
  await Promise.all(Array.from({ length: QUERIES }, (_, number) => ask(number)))
}

/** Relations and all relations that they read, including the built-in one and those it reads. */
function closureOf(names: readonly string[], into = new Set<string>()): Set<string> {
  for (const name of names) {
    const relation = catalogue.relations.get(name)
    const reads =
      relation?.kind === 'fold' ? relation.reads : name === BUILT_IN ? [catalogue.hierarchy?.table ?? ''] : []
    closureOf(reads, into).add(name)
  }
  return into
}

/** Counts builds by their events and by the files that appear. */
class Builds {
  readonly #watcher: FSWatcher
  #made: string[] = []
  #jobs = 0

  constructor(folder: string) {
    // A complete file appears by one rename, the only event for its name.
    this.#watcher = watch(folder, (event, name) => {
      if (event === 'rename' && /(-0\.parquet|\.duckdb)$/.test(name ?? '')) this.#made.push(String(name))
    })
  }

  hear(event: AnalyticsEvent): void {
    if (event.type === 'build') this.#jobs += 1
  }

  async during(work: () => Promise<void>): Promise<{ made: number; twice: number; jobs: number }> {
    this.#made = []
    this.#jobs = 0
    await work()
    await new Promise(resolve => setImmediate(resolve)) // lets pending events of the watcher arrive
    const names = new Set(this.#made)
    return { made: names.size, twice: this.#made.length - names.size, jobs: this.#jobs }
  }

  close(): void {
    this.#watcher.close()
  }
}
