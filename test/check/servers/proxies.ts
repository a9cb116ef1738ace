import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../server/server.js'
import { until } from '../../until.js'

const run = promisify(execFile)
const read = (name: string) => readFile(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8')

/** A proxy in its own process, with a configuration of deploy/. */
export interface RunningProxy {
  url: string
  /** Certificate that clients have to trust; undefined without TLS. */
  ca: string | undefined
  /** Whether a call with a body goes to the other server when one refuses the connection. */
  repeatsBodies: boolean
  /** Does what the configuration asks for before a server is restarted. */
  takeOut(server: string): Promise<void>
  /** Does what the configuration asks for once the server is ready again. */
  putBack(server: string): Promise<void>
  stop(): Promise<void>
}

/** How often Caddy polls in tests; in the Caddyfile, it is 2 s. */
export const POLL_MS = 200

/** Starts each proxy in front of two servers, with its files in `folder`; null where it is not installed. */
export const PROXIES: Record<string, (folder: string, servers: readonly string[]) => Promise<RunningProxy | null>> = {
  async Caddy(folder, servers) {
    const version = await versionOf('caddy', 'version')
    if (version === null) return null
    const url = `http://127.0.0.1:${await freePort()}`
    const file = join(folder, 'Caddyfile')
    const config = replaced(await read('Caddyfile'), [
      ['foldgate-1:8080 foldgate-2:8080', servers.map(hostOf).join(' ')],
      ['health_interval 2s', `health_interval ${POLL_MS}ms`],
    ])
    await writeFile(file, `{\n\tadmin off\n}\n${config}`)
    const environment = { PATH: process.env.PATH, HOME: folder, FOLDGATE_SITE: url }
    const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { env: environment, cwd: folder })
    await untilUp(child, url)
    const nothing = async () => {}
    return {
      url,
      ca: undefined,
      repeatsBodies: version.localeCompare('2.11.1', undefined, { numeric: true }) > 0,
      takeOut: nothing,
      putBack: nothing,
      stop: () => stop(child, 'SIGTERM'),
    }
  },

  async nginx(folder, servers) {
    if ((await versionOf('nginx', '-v')) === null || (await versionOf('openssl', 'version')) === null) return null
    const [port, plainPort] = [await freePort(), await freePort()]
    const url = `https://127.0.0.1:${port}`
    const file = join(folder, 'foldgate.conf')
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'privkey.pem']
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    await run('openssl', ['req', '-x509', ...key, ...subject, '-out', 'fullchain.pem'], { cwd: folder })
    const own = await read('nginx.conf')
    await writeFile(
      file,
      replaced(own, [
        ...servers.map((server, at): [string, string] => [`127.0.0.1:808${at + 1}`, hostOf(server)]),
        ['/etc/letsencrypt/live/data.example.org', folder],
        ['listen 443', `listen 127.0.0.1:${port}`],
        ['listen 80;', `listen 127.0.0.1:${plainPort};`],
      ]),
    )
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
      ca: await readFile(join(folder, 'fullchain.pem'), 'utf8'),
      repeatsBodies: true,
      takeOut: server => edit(takeOut, server),
      putBack: server => edit(putBack, server),
      stop: () => stop(child, 'SIGTERM'),
    }
  },
}

/** Sends a request through a proxy on a connection of its own, and resolves to the answer's head. */
export async function send(
  { url, ca }: RunningProxy,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<IncomingMessage> {
  const { body, ...rest } = options
  const given = { ...rest, agent: false as const, ...(ca === undefined ? {} : { ca }) }
  const call: ClientRequest = url.startsWith('https:') ? overHttps(url + path, given) : overHttp(url + path, given)
  call.end(body)
  const [answer] = await once(call, 'response')
  return answer
}

const hostOf = (url: string) => new URL(url).host

/** Replaces every occurrence of each text, which must be there. */
function replaced(config: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `there is no ${from}`)
    return text.replaceAll(from, to)
  }, config)
}

/** The configuration of Debian's package around the one of deploy/, as far as it matters here. */
function mainOf(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${name};`)
  return [
    `daemon off; worker_processes 2; pid ${folder}/nginx.pid; events {}`,
    `http { access_log off; ${temporary.join(' ')} include ${folder}/foldgate.conf; }`,
  ].join('\n')
}

/** The version of a program; null when it is not installed. */
async function versionOf(program: string, ask: string): Promise<string | null> {
  const told = await run(program, [ask]).catch(() => null)
  return told && (/\d+(\.\d+)+/.exec(told.stdout + told.stderr)?.[0] ?? '')
}

/** Waits until a proxy answers a path that it does not pass on; fails with its output when it ends before. */
async function untilUp(child: ChildProcess, url: string): Promise<void> {
  let told = ''
  child.stderr?.on('data', chunk => {
    told += chunk
  })
  const send = url.startsWith('https:') ? overHttps : overHttp
  await until(async () => {
    assert.equal(child.exitCode, null, told)
    const call = send(`${url}/live`, { rejectUnauthorized: false }).end()
    return once(call, 'response').then(
      ([answer]) => answer.resume().statusCode === 404,
      () => false,
    )
  }, 'a proxy that answers')
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

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
