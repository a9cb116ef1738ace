import { median, timed } from '../assessed.js'
import { type OpenOptions, openApi, post } from '../open.js'
import type { Figure } from '../run.js'

const CALLS = 40

/** Measures a call whose organization has no process, so that the only resident one is replaced by a blank one. */
export async function changeOfOrganization(folder: string, options: OpenOptions): Promise<Figure> {
  const [one, other] = options.projects
  if (!one || !other) throw new Error('two projects are needed')
  const projects = [
    { ...one, organization: 'one' },
    { ...other, organization: 'other' },
  ]
  const api = await openApi(folder, { ...options, projects, engine: { connections: 1, residents: 1, spares: 1 } })
  let asked = 0
  const ask = (projectId: string) =>
    timed(async () => {
      const answer = await post(api, 'query', { projectId, sql: `SELECT count(*) FROM dash_ipbes -- ${++asked}` })
      if (answer.status !== 200) throw new Error(`answered ${answer.status}`)
    })
  try {
    for (const { projectId } of projects) await ask(projectId)
    const changes: number[] = []
    for (let count = 0; count < CALLS; count++) changes.push(await ask(projects[count % 2]?.projectId ?? ''))
    await ask(one.projectId)
    const same: number[] = []
    for (let count = 0; count < CALLS; count++) same.push(await ask(one.projectId))
    return {
      what: `a call that changes the organization of the one process, median of ${CALLS}`,
      measured: `${median(changes).toFixed(1)} ms`,
      baseline: `${median(same).toFixed(1)} ms where it finds its own`,
      bar: '',
    }
  } finally {
    await api.close()
  }
}
