import { createHash } from 'node:crypto'
import { METHOD_NAMES, type MethodName } from '../model.js'
import type { Caller, ProjectRecord } from '../ports.js'
import { readParameters, textOfParameters } from '../values/parameters.js'

/** What the limits of a key depend on. */
type Limited = Pick<Caller, 'only'>

/** Whether a key can call a method, on some project at least. */
export function mayCall({ only }: Limited, method: MethodName): boolean {
  if (only?.methods !== undefined) return only.methods.includes(method)
  return only?.queries === undefined || method === 'projects/list'
}

/** Whether a key can run a version of a named query. */
export function mayRun({ only }: Limited, name: string, version: string | number): boolean {
  if (only?.queries !== undefined)
    return only.queries.includes(name) || only.queries.includes(`${name}@${version}`)
  return only?.methods === undefined
}

/** Whether a key can download what it has exported. */
export function mayDownload(caller: Limited): boolean {
  return mayCall(caller, 'projects/export') || (caller.only?.queries ?? []).length > 0
}

/** Whether a key can call whatever there is, so also what the host itself answers. */
export function callsAll({ only }: Limited): boolean {
  return only?.methods === undefined && only?.queries === undefined
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

/** Digest of what limits the data that a key can read, whatever the order; null when nothing does. */
export function limitsDigest({ only = {} }: Limited): string | null {
  const { projects, queries, relations, parameters } = only
  const lists = [projects, queries, relations].map(list => list && [...new Set(list)].sort())
  const values = parameters && textOfParameters(readParameters(parameters))
  const limits = [...lists, values]
  if (limits.every(limit => limit === undefined)) return null
  return createHash('sha256').update(JSON.stringify(limits)).digest('base64url')
}
