import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectExport } from 'foldgate/client'
import { toNodeHandler } from 'foldgate/node'
import { AUTHORIZATION, largestProject } from '../assessed.js'
import { listening } from '../load/load.js'

/** Serves one large exported file both as a download and piped by bare node:http. Ends on any message. */
const BYTES = 256 * 1024 ** 2
/** Hashes cannot be compressed, so the file has this size. */
const SQL = `SELECT hash(i) AS h FROM range(${BYTES / 8}) t(i)`

const project = await largestProject()
const api = await project.open({ limits: { exportTimeoutMs: 600_000 } })
const params = { projectId: project.projectId, sql: SQL }
const { result } = await api.call('projects/export', params, { authorization: AUTHORIZATION })
const exports = join(project.folder, 'exports')
const [name = ''] = await readdir(exports)
const file = join(exports, name)
const ours = await listening(toNodeHandler(api))
const bare = await listening((_request, response) => {
  createReadStream(file).pipe(response)
})
process.on('message', async () => {
  await api.close()
  await project.remove()
  process.exit(0)
})
process.send?.({
  bytes: (await stat(file)).size,
  ours: `http://127.0.0.1:${ours.port}${new URL((result as ProjectExport).url).pathname}`,
  bare: `http://127.0.0.1:${bare.port}/`,
})
