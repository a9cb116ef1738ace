import { setTimeout as pause } from 'node:timers/promises'
import { median, timed } from '../assessed.js'
import { type OpenOptions, openApi, post } from '../open.js'
import type { Figure } from '../run.js'
import { MIX } from './mix.js'

const ALONE = 40
const AT_ONCE = 4
const ROUNDS = 15
/** No organization is evicted between its two calls. */
const RESIDENTS = 2 * AT_ONCE

/**
 * Measures first answers of organizations that have no process, over relations that are built, while processes are
 * spare, and the next answers of the same organizations.
 */
export async function firstAnswers(folder: string, options: OpenOptions): Promise<Figure[]> {
  const projects = options.projects.map((project, at) => ({ ...project, organization: `o${at}` }))
  const engine = { ...options.engine, residents: RESIDENTS, spares: AT_ONCE }
  const api = await openApi(folder, { ...options, projects, engine })
  const ids = projects.map(({ projectId }) => projectId)
  let asked = 0
  const ask = (projectId: string) =>
    timed(async () => {
      const { status } = await post(api, 'query', { projectId, sql: `${MIX[0]} -- ${++asked}` })
      if (status !== 200) throw new Error(`answered ${status}`)
    })
  let bound = 0
  /** First and next answers of organizations that have not asked yet, `atOnce` of them together. */
  const round = async (atOnce: number) => {
    while (api.pids().length < Math.min(bound, RESIDENTS) + AT_ONCE) await pause(10)
    const some = ids.splice(0, atOnce)
    const first = await Promise.all(some.map(ask))
    bound += atOnce
    while (api.pids().length < Math.min(bound, RESIDENTS) + AT_ONCE) await pause(10)
    return { first, next: await Promise.all(some.map(ask)) }
  }
  const figure = async (what: string, rounds: number, atOnce: number): Promise<Figure> => {
    const first: number[] = []
    const next: number[] = []
    for (let count = 0; count < rounds; count++) {
      const times = await round(atOnce)
      first.push(...times.first)
      next.push(...times.next)
    }
    return {
      what,
      measured: told(first),
      baseline: `${told(next)} of the same organizations, with a process each`,
      bar: 'p50 40 ms',
    }
  }
  try {
    await round(1) // the code of the host is warm then
    return [
      await figure('first answer of a cold organization, spares left', ALONE, 1),
      await figure(`the same, ${AT_ONCE} at once`, ROUNDS, AT_ONCE),
    ]
  } finally {
    await api.close()
  }
}

function told(times: number[]): string {
  const p99 = [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
  return `p50 ${median(times).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
}
