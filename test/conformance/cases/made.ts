import type { MethodName } from 'foldgate'
import { KEYS, PACKAGE } from '../../service/service.js'
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

/** A set-up that adds a project with the given state of its assessments and seals the given snapshots. */
export function projectWith(
  project: { completed?: boolean; running?: boolean },
  ...snapshots: Record<string, string>[]
): (world: World) => Promise<Given> {
  return async ({ plain }) => {
    const { projectId, key } = ownProject(plain, project)
    for (const files of snapshots) await plain.seal(projectId, { ...PACKAGE, ...files })
    return { projectId, key }
  }
}

/** Returns the file of a package whose only amount is `value`. */
export function amount(value: number): Record<string, string> {
  return { 'amounts.csv': `entity_key,item,amount\ngroup,water,${value}\n` }
}
