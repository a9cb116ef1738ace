import type { MethodName } from 'foldgate'
import { KEYS } from '../../service/service.js'
import type { Call, Given } from '../entry/case.js'
import { ownProject, type World } from '../entry/world.js'

/** A set-up that makes a call and keeps its `nextCursor`, which is valid at every entry point. */
export function cursorOf(
  call: Partial<Call> & { method: string },
): (world: World) => Promise<Given & { cursor: string }> {
  const { method, params, key = KEYS.north } = call
  return async ({ plain }) => {
    const { result } = await plain.api.call(method as MethodName, params as never, { authorization: `Bearer ${key}` })
    return { cursor: (result as { nextCursor: string }).nextCursor }
  }
}

/** A set-up that adds a project in the given state and seals a snapshot for each of the values, with that alone. */
export function projectWith(
  project: { completed?: boolean; running?: boolean },
  ...values: number[]
): (world: World) => Promise<Given> {
  return async ({ plain, vendor: { files, single } }) => {
    const { projectId, key } = ownProject(plain, project)
    for (const value of values) await plain.seal(projectId, { ...files, ...single.files(value) })
    return { projectId, key }
  }
}

/** As {@link projectWith}, for calls of the snapshot with this place among those that were sealed: 0 is the oldest. */
export function pinnedIn(
  project: { completed?: boolean; running?: boolean },
  at: number,
  ...values: number[]
): (world: World) => Promise<Given & { projectId: string; snapshot: string }> {
  return async world => {
    const { projectId = '', key } = await projectWith(project, ...values)(world)
    const ids = await world.plain.snapshots.list(projectId, AbortSignal.timeout(10_000))
    return { projectId, ...(key === undefined ? {} : { key }), snapshot: ids.toReversed()[at] ?? '' }
  }
}
