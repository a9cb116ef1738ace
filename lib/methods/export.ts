import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { ownerDigest, signLink } from '../exports/link.js'
import type { ProjectExport } from '../model.js'
import { PATHS } from '../paths.js'
import { named, object, sent } from '../schema.js'
import { defineMethod } from './method.js'
import { EXAMPLE_STATEMENT, readyStatement, running, statementFields } from './statement.js'

const projectExport = sent('ProjectExport', 'A Parquet file with every row of a query.', {
  url: {
    type: 'string',
    format: 'uri',
    description: 'Link to the file on this service. It needs the key of this call or another key of its owner.',
  },
  expiresAt: { type: 'string', format: 'date-time', description: 'When the url expires, in UTC.' },
  rows: { type: 'integer', minimum: 0, description: 'Rows in the file.' },
  bytes: { type: 'integer', minimum: 0, description: 'Size of the file in bytes.' },
})

export const exportProject = defineMethod({
  name: 'projects/export',
  summary: 'Run one SELECT and export its rows to a Parquet file',
  description:
    'Runs one SELECT over the latest sealed snapshot, writes all its rows to a Parquet file and returns a link that ' +
    'expires. Each call writes a new file.',
  stability: 'experimental',
  scope: 'projectAnalytics',
  params: named('ProjectExportParams', object(statementFields, 'A query and its point of view.')),
  paramsOptional: false,
  errors: ['NOT_FOUND', 'NOT_READY', 'INVALID_QUERY', 'QUERY_TIMEOUT', 'QUERY_TOO_LARGE'],
  limits: ['exportTimeoutMs', 'buildTimeoutMs', 'connectionWaitMs', 'exportBytes', 'linkValidityMs'],
  result: projectExport,
  example: {
    params: EXAMPLE_STATEMENT,
    result: {
      url: 'https://data.example/public/v1/exports/WyJhIiwiYiJd.AAECAwQFBgcICQoLDA0ODxAR',
      expiresAt: '2026-11-21T09:15:00.000Z',
      rows: 2,
      bytes: 512,
    },
  },
  async run(params, context) {
    const { baseUrl, caller, clock, engine, limits, ports, signer, signal } = context
    const { checked, point, project } = await readyStatement(context, params)
    const calledAt = clock.now()
    const file = await running(
      params.sql,
      limits.exportTimeoutMs,
      engine.export(point, checked, { ...context, timeoutMs: limits.exportTimeoutMs }),
    )
    const exportId = randomUUID()
    try {
      await ports.exports.put({ exportId, path: file.path, bytes: file.bytes }, signal)
    } finally {
      await rm(file.path, { force: true }) // the storage has its own copy by now, or the call fails
    }
    const expiresAt = calledAt + limits.linkValidityMs
    const link = { exportId, owner: ownerDigest(caller.ownerId), projectId: project.projectId, expiresAt }
    const result: ProjectExport = {
      url: `${baseUrl}${PATHS.exports}${signLink(signer, link)}`,
      expiresAt: new Date(expiresAt).toISOString(),
      rows: file.rows,
      bytes: file.bytes,
    }
    return { result, rows: file.rows, bytes: file.bytes }
  },
})
