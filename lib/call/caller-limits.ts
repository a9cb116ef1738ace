import { METHOD_NAMES, type MethodName } from '../model.js'
import type { Caller, ProjectRecord } from '../ports.js'

/** What the limits of a key depend on. */
type Limited = Pick<Caller, 'only'>

/** Whether a key can call a method, on some project at least. */
export function mayCall({ only }: Limited, method: MethodName): boolean {
  return only?.methods === undefined || only.methods.includes(method)
}

/** Whether a key can call whatever there is, so also what the host itself answers. */
export function callsAll({ only }: Limited): boolean {
  return only?.methods === undefined
}

/** The methods that a key can call, in the order in which they are described. */
export function callableMethods(caller: Limited): MethodName[] {
  return METHOD_NAMES.filter(method => mayCall(caller, method))
}

/** Whether a key can read a project: its organization must be one of the key, and no limit may exclude it. */
export function mayRead({ organizations, only }: Caller, project: ProjectRecord): boolean {
  if (!organizations.includes(project.organization)) return false
  return only?.projects === undefined || only.projects.includes(project.projectId)
}

/** Whether statements of a key can read a relation of the catalogue. */
export function mayQuery({ only }: Limited, relation: string): boolean {
  return only?.relations === undefined || only.relations.includes(relation)
}
