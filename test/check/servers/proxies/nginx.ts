import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../../server/server.js'
import { until } from '../../../until.js'
import { certify, changed, end, hostOf, read, type StartProxy, untilUp, versionOf } from './proxy.js'

const run = promisify(execFile)

/** nginx with deploy/nginx.conf. */
export const startNginx: StartProxy = async (folder, servers, changes = []) => {
  if ((await versionOf('nginx', '-v')) === null || (await versionOf('openssl', 'version')) === null) return null
  const [port, plainPort] = [await freePort(), await freePort()]
  const url = `https://127.0.0.1:${port}`
  const file = join(folder, 'foldgate.conf')
  const ca = await certify(folder, 'privkey.pem', 'fullchain.pem')
  const own = await read('nginx.conf')
  const config = changed(own, [
    ['/etc/letsencrypt/live/data.example.org', folder],
    ['listen 443', `listen 127.0.0.1:${port}`],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ...changes,
  ])
  const lines = /(\tserver 127\.0\.0\.1:808\d max_fails=0;\n)+/g
  assert.equal([...config.matchAll(lines)].length, own.split('\nupstream ').length - 1)
  const listed = servers.map(server => `\tserver ${hostOf(server)} max_fails=0;\n`).join('')
  await writeFile(file, config.replace(lines, listed))
  await writeFile(join(folder, 'nginx.conf'), mainOf(folder))
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')])
  await untilUp(child, url)
  const [takeOut, putBack] = [...own.matchAll(/^#\s+sed -i '([^']+)'.*&& nginx -s reload$/gm)].map(
    ([, script]) => script,
  )
  assert.ok(takeOut && putBack)
  const edit = async (script: string, server: string) => {
    await run('sed', ['-i', script.replace('127.0.0.1:8081', hostOf(server)), file])
    await reload(child)
  }
  return {
    url,
    ca,
    repeatsBodies: true,
    log: async () =>
      (await Promise.all(['access.log', 'error.log'].map(name => readFile(join(folder, name), 'utf8')))).join(''),
    takeOut: server => edit(takeOut, server),
    putBack: server => edit(putBack, server),
    stop: () => end(child),
  }
}

/** The configuration of Debian's package around the one of deploy/, as far as it matters here. */
function mainOf(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${name};`)
  return [
    `daemon off; worker_processes 2; pid ${folder}/nginx.pid; events {}`,
    `http { access_log ${folder}/access.log; ${temporary.join(' ')} include ${folder}/foldgate.conf; }`,
  ].join('\n')
}

/** Reloads the configuration of nginx, and waits until no worker with the old one takes calls. */
async function reload(child: ChildProcess): Promise<void> {
  const workers = async () =>
    (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim().split(' ')
  const old = await workers()
  child.kill('SIGHUP')
  await until(async () => {
    const titles = await Promise.all(old.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
    return titles.every(title => title === '' || title.includes('shutting down'))
  }, 'the end of the old workers')
}
