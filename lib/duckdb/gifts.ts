import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { RowsBefore } from '../engine/port.js'
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
const BEFORE = 'before'

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

/** Rows before a chunk as its job names them, and the file that its process needs for them. */
export function givenBefore({ from, rows }: RowsBefore): { before: RowsBefore; gifts: Gift[] } {
  if (typeof from !== 'string') return { before: { from, rows }, gifts: [] }
  const name = join(BEFORE, randomUUID())
  const missing = { kind: 'disk', text: 'The rows of earlier pages are missing.' } as const
  return { before: { from: name, rows }, gifts: [{ name, from, version: name, missing, isForOneJob: true }] }
}
