import { join } from 'node:path'
import type { BuildStep, JobFailure } from './jobs.js'

/** A file of the host that a job needs. */
export interface Gift {
  /** The name under which the process is given it. */
  name: string
  /** The path of the host's file. */
  from: string
  /** Another value for another file of that name. */
  version: unknown
  /** What fails when there is no such file. */
  missing: Pick<JobFailure, 'kind' | 'text'>
  /** Whether it is taken away after the job. */
  isForOneJob?: boolean
}

const SEALED = 'sealed'

/** What a relation is made from and the files that its process needs, when it is a stored table. */
export function givenSource(from: BuildStep['from'], folder: string) {
  if (!('source' in from)) return null
  const missing = { kind: 'snapshot', text: 'A stored table is damaged.' } as const
  const gifts = from.source.map(({ name }): Gift => {
    return { name: join(SEALED, name), from: join(folder, name), version: folder, missing, isForOneJob: true }
  })
  const source = from.source.map(({ name, sha256 }) => ({ name: join(SEALED, name), sha256 }))
  return { from: { source }, gifts }
}
