import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../server/server.js'
import { certify, changed, end, hostOf, POLL_MS, read, type StartProxy, untilUp, versionOf } from './proxy.js'

/** HAProxy with deploy/haproxy.cfg. */
export const startHaproxy: StartProxy = async (folder, servers, changes = []) => {
  if ((await versionOf('haproxy', '-v')) === null || (await versionOf('openssl', 'version')) === null) return null
  const [port, plainPort] = [await freePort(), await freePort()]
  const url = `https://127.0.0.1:${port}`
  const file = join(folder, 'foldgate.cfg')
  const ca = await certify(folder, 'tls.key', 'tls.crt')
  const config = changed(await read('haproxy.cfg'), [
    ['/etc/haproxy/tls', folder],
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['bind :80', `bind 127.0.0.1:${plainPort}`],
    ['inter 2s', `inter ${POLL_MS}ms`],
    ...changes,
  ])
  // One line per server in each backend, made from the line of the first.
  const lines = /\tserver (foldgate-1) foldgate-1:8080(.*)\n(\tserver .*\n)+/g
  assert.equal([...config.matchAll(lines)].length, config.split('\nbackend ').length - 1)
  await writeFile(
    file,
    config.replace(lines, (_, name: string, rest: string) =>
      servers
        .map((server, at) => {
          const own = rest.replace(/ (id|cookie) 1\b/g, ` $1 ${at + 1}`).replace(/\/foldgate-1$/, `/foldgate-${at + 1}`)
          return `\tserver ${name.replace('1', String(at + 1))} ${hostOf(server)}${own}\n`
        })
        .join(''),
    ),
  )
  const child = spawn('haproxy', ['-db', '-f', file], { cwd: folder })
  const told = await untilUp(child, url)
  const nothing = async () => {}
  return {
    url,
    ca,
    repeatsBodies: true,
    log: async () => told(),
    takeOut: nothing,
    putBack: nothing,
    stop: () => end(child),
  }
}
