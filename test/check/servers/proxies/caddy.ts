import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../server/server.js'
import { changed, end, hostOf, POLL_MS, read, type StartProxy, untilUp, versionOf } from './proxy.js'

/** Caddy with deploy/Caddyfile, without TLS. */
export const startCaddy: StartProxy = async (folder, servers, changes = []) => {
  const version = await versionOf('caddy', 'version')
  if (version === null) return null
  const url = `http://127.0.0.1:${await freePort()}`
  const file = join(folder, 'Caddyfile')
  const config = changed(await read('Caddyfile'), [
    ['foldgate-1:8080 foldgate-2:8080', servers.map(hostOf).join(' ')],
    ['health_interval 2s', `health_interval ${POLL_MS}ms`],
    ...changes,
  ])
  await writeFile(file, `{\n\tadmin off\n}\n${config}`)
  const environment = { PATH: process.env.PATH, HOME: folder, FOLDGATE_SITE: url }
  const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env: environment, cwd: folder })
  const told = await untilUp(child, url)
  const nothing = async () => {}
  return {
    url,
    ca: undefined,
    repeatsBodies: version.localeCompare('2.11.1', undefined, { numeric: true }) > 0,
    log: async () => told(),
    takeOut: nothing,
    putBack: nothing,
    stop: () => end(child),
  }
}
