// @ts-check
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import express from 'express'
import { createAnalyticsApi, directoryExports, directorySnapshots, duckdbEngine } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import { fromFolder, openSealer } from 'foldgate/sealing'
import catalogue from './catalogue.js'

const PROJECT = '5a0b0e52-6f3c-4d0e-9a57-0c1d2e3f4a5b'
const DAY_MS = 86_400_000

/** node host.js [folder]: seals the tables in `tables` of the folder and serves them. */
const [folder = 'foldgate-shop', ...others] = process.argv.slice(2)
if (folder.startsWith('-') || others.length > 0) {
  console.error('Usage: node host.js [folder]')
  process.exit(2)
}
const { PORT = '8090', KEY = 'shop-key', PARTNER_KEY = 'partner-key' } = process.env
const { SECRET = randomBytes(32).toString('hex') } = process.env
const baseUrl = `http://localhost:${PORT}/analytics`

/** The agency is a partner who sees the customers that its advertising has brought. */
const owner = { keyId: '1', ownerId: 'owner', organizations: ['shop'] }
const agency = { ...owner, keyId: '2', ownerId: 'agency', only: { rows: { channel: ['advertising'] } } }
const states = { completed: true, running: false }
const shop = { projectId: PROJECT, name: 'The shop', organization: 'shop', sequence: 1, ...states }
const snapshots = directorySnapshots(join(folder, 'snapshots'))
const api = createAnalyticsApi({
  baseUrl,
  secrets: [SECRET], // set it to keep cursors and links over a restart
  catalogue,
  keys: { authenticate: async sent => (sent === KEY ? owner : sent === PARTNER_KEY ? agency : null) },
  projects: {
    find: async projectId => (projectId === PROJECT ? shop : null),
    list: async ({ organizations, after }) =>
      organizations.includes('shop') && after < shop.sequence ? [shop] : [],
  },
  snapshots,
  exports: directoryExports(join(folder, 'exports'), { retentionMs: DAY_MS }),
  engine: duckdbEngine({ folder: join(folder, 'engine') }),
  onEvent: event => {
    if ('cause' in event) console.error(event)
  },
})

const app = express()
app.use('/analytics', toNodeHandler(api))
const server = app.listen(Number(PORT), 'localhost')
server.on('error', error => {
  const isTaken = 'code' in error && error.code === 'EADDRINUSE'
  console.error(isTaken ? `Port ${PORT} is taken. Set PORT to another one.` : error.message)
  process.exit(1)
})
await once(server, 'listening')

const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
try {
  const source = join(folder, 'tables')
  const { manifest } = await sealer.seal({ projectId: PROJECT, tables: fromFolder(source) })
  for (const { name, rows } of manifest.tables) console.log(`${name}: ${rows} rows`)
  console.log(`key: ${KEY}`)
  console.log(`project: ${PROJECT}`)
  console.log(`${baseUrl} answers`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error) // each problem with its table and column
  process.exitCode = 1
  close()
} finally {
  await sealer.close()
}

function close() {
  server.close()
  void api.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, close)
