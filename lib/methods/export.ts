import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { limitsDigest } from '../call/caller.js'
import { exportParamsSchema } from '../call/params.js'
import { PATHS } from '../call/paths-and-headers.js'
import type { ExportedFile } from '../engine/port.js'
import { ownerDigest, signLink } from '../exports/link.js'
import { type ProjectExport, projectExportSchema } from '../model.js'
import type { Words } from '../words.js'
import { hintsIn } from './hints.js'
import { defineMethod } from './method.js'
import { exampleStatement, notFound, readyStatement, running } from './statement.js'

export const exportProject = (words: Words) =>
  defineMethod({
    name: 'projects/export',
    summary: 'Run one SELECT and export its rows to a file',
    description:
      'Runs one SELECT over the latest sealed snapshot, or the one that snapshot names, writes all its rows to a file, by default Parquet, and returns a ' +
      'link that expires. Each call writes a new file.',
    stability: 'experimental',
    scope: 'projectAnalytics',
    params: exportParamsSchema(words),
    paramsOptional: false,
    errors: [...notFound(words), 'NOT_READY', 'INVALID_QUERY', 'QUERY_TIMEOUT', 'QUERY_TOO_LARGE'],
    limits: [
      ...(['exportTimeoutMs', 'buildTimeoutMs', 'connectionWaitMs', 'exportBytes'] as const),
      ...(['exportBytesPerOwner', 'exportBytesPerOrganization', 'linkValidityMs'] as const),
    ],
    result: projectExportSchema,
    example: {
      params: exampleStatement(words),
      result: {
        url: 'https://data.example/public/v1/exports/WyJhIiwiYiJd.AAECAwQFBgcICQoLDA0ODxAR',
        expiresAt: '2026-11-21T09:15:00.000Z',
        rows: 2,
        bytes: 512,
      },
    },
    async run(params, context) {
      const { baseUrl, caller, clock, exportQuota, limits, ports, signer, signal } = context
      const { format = 'parquet', csvInjection } = params
      const ready = await readyStatement(context, params, true)
      const { statement, engine, facts, pinned, point, project, key } = ready
      const form = { format, escapesFormulas: csvInjection === 'escape' }
      const calledAt = clock.now()
      const { projectId } = project
      const { ownerId } = caller
      const expiresAt = calledAt + limits.linkValidityMs
      const exportId = randomUUID()
      context.reads({ exportId })
      const counted = exportQuota.begin(ownerId, project.organization)
      let file: ExportedFile | undefined
      let included: Pick<ProjectExport, 'columns' | 'hints'> = {}
      try {
        const timed = { ...context, timeoutMs: limits.exportTimeoutMs }
        const exporting = engine.export(point, statement, timed, form)
        file = await running(params, limits.exportTimeoutMs, exporting, pinned)
        // Before the file is stored: if this fails, nothing is left of the call.
        included = await hintsIn(params, context, ready)
        if (params.include?.includes('columns')) {
          const reading = facts.columns({ key, point, statement }, context)
          included.columns = await running(params, limits.queryTimeoutMs, reading, pinned)
        }
        const stored = { exportId, path: file.path, bytes: file.bytes, format, projectId, ownerId }
        await ports.exports.put(stored, signal)
        const { retentionMs } = ports.exports
        counted.stored(file.bytes, retentionMs === undefined ? expiresAt : clock.now() + retentionMs)
      } finally {
        counted.end()
        if (file) await rm(file.path, { force: true }) // the storage has its own copy by now, or the call fails
      }
      const { rows, bytes } = file
      const owner = ownerDigest(ownerId)
      const link = { exportId, owner, projectId, expiresAt, format, limits: limitsDigest(caller) }
      const result: ProjectExport = {
        url: `${baseUrl}${PATHS.exports}${signLink(signer, link)}`,
        expiresAt: new Date(expiresAt).toISOString(),
        rows,
        bytes,
        ...included,
      }
      return { result, rows, bytes, snapshot: point.snapshot }
    },
  })
