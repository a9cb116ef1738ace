import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { sealLink } from '../exports/link.js'
import type { ProjectExport } from '../model.js'
import { object } from '../schema.js'
import { defineMethod } from './method.js'
import { readyStatement, running, statementFields } from './statement.js'

export const exportProject = defineMethod({
  name: 'projects/export',
  summary: 'Run one SELECT and keep its rows as a Parquet file',
  description:
    'Runs one SELECT over the latest sealed snapshot and writes every row of it to a Parquet file behind a link that ' +
    'expires. Each call writes a new file.',
  stability: 'experimental',
  params: object(statementFields, 'The query.'),
  paramsOptional: false,
  errors: ['NOT_FOUND', 'NOT_READY', 'INVALID_QUERY', 'QUERY_TIMEOUT', 'QUERY_TOO_LARGE'],
  async run(params, context) {
    const { baseUrl, caller, clock, engine, limits, ports, seal, signal } = context
    const { checked, point, project } = await readyStatement(context, params)
    const calledAt = clock.now()
    const file = await running(params.sql, limits.exportTimeoutMs, engine.export(point, checked, signal))
    const exportId = randomUUID()
    try {
      await ports.exports.put({ exportId, path: file.path, bytes: file.bytes }, signal)
    } finally {
      await rm(file.path, { force: true }) // the storage has it now, or never will
    }
    const expiresAt = calledAt + limits.linkValidityMs
    const link = { exportId, ownerId: caller.ownerId, projectId: project.projectId, expiresAt }
    const result: ProjectExport = {
      url: `${baseUrl}/public/v1/exports/${sealLink(seal, link)}`,
      expiresAt: new Date(expiresAt).toISOString(),
      rows: file.rows,
      bytes: file.bytes,
    }
    return { result, rows: file.rows, bytes: file.bytes }
  },
})
