import assert from 'node:assert/strict'
import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import catalogue from '#assessed/catalogue.js'
import { outputJson, scratchFolder } from '../../server/command.js'
import { call, serve, stop } from '../../server/server.js'

/** The last version that Node 20 runs. */
const CONFORMANCE = '@modelcontextprotocol/conformance@0.1.13'
const PYTHON_CLIENT = 'mcp==2.3.0'
const READER = fileURLToPath(new URL('./reader.py', import.meta.url))
const INSTALL_MS = 240_000
const run = promisify(execFile)

/** Scenarios that ask for what this server does not have, by the reason. Every other scenario has to pass. */
const NOT_APPLICABLE = {
  'no logging': ['logging-set-level'],
  'no completion of arguments': ['completion-complete'],
  'call tools with fixed names and answers': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-error',
    'json-schema-2020-12',
  ],
  'no notifications while a tool runs': ['tools-call-with-logging', 'tools-call-with-progress'],
  'no sampling': ['tools-call-sampling'],
  'no elicitation': ['tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
  'read resources with fixed names': ['resources-read-text', 'resources-read-binary', 'resources-templates-read'],
  'no sessions': ['resources-subscribe', 'resources-unsubscribe', 'server-sse-polling', 'server-sse-multiple-streams'],
  'no prompts': [
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ],
}
const PASSING = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']

/** Passes requests on as they are, with a key: the scenarios send none. */
function withKey(url: string, key: string): Server {
  return createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    const { hostname, port } = new URL(url)
    const sent = { hostname, port, path, method, headers: { ...headers, authorization: `Bearer ${key}` } }
    const passed = request(sent, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  }).listen(0, '127.0.0.1')
}

describe('official clients of the server for agents', () => {
  const scratch = scratchFolder()
  let url: string
  let key: string
  let child: ChildProcess
  before(async () => {
    const data = ['--data', 'demo']
    ;({ key } = await outputJson<{ key: string }>(scratch.path, 'demo', '--once', '--port', '0', ...data))
    ;({ url, child } = await serve(scratch.path, ...data))
  })
  after(() => stop(child))

  it('the conformance suite passes, DNS rebinding included', async function () {
    const args = [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--prefix',
      scratch.path,
    ]
    if (!(await run('npm', [...args, CONFORMANCE], { timeout: INSTALL_MS }).catch(() => null))) {
      console.log(`Left out: ${CONFORMANCE}, which cannot be installed.`)
      this.skip()
    }
    const expected = join(scratch.path, 'not-applicable.yaml')
    const names = Object.values(NOT_APPLICABLE).flat()
    await writeFile(expected, `server:\n${names.map(name => `  - ${name}\n`).join('')}`)
    const server = withKey(url, key)
    try {
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const bin = join(scratch.path, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
      const target = ['--url', `http://127.0.0.1:${port}/public/v1/mcp`, '--suite', 'all']
      // Fails when another scenario fails, and when one of the expected failures passes.
      const { stdout } = await run(process.execPath, [bin, 'server', ...target, '--expected-failures', expected], {
        cwd: scratch.path,
        timeout: 60_000,
      }).catch((cause: { stdout?: string }) => assert.fail(cause.stdout?.slice(-4000)))
      for (const name of PASSING) assert.match(stdout, new RegExp(`✓ ${name}: [1-9]\\d* passed, 0 failed`))
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }).timeout(INSTALL_MS + 60_000)

  it('the Python client reads more than its limit of an answer, by pages', async function () {
    const python = join(scratch.path, 'python/bin/python')
    try {
      await run('python3', ['-m', 'venv', 'python'], { cwd: scratch.path, timeout: INSTALL_MS / 2 })
      const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check', '--retries', '1']
      await run(python, [...pip, PYTHON_CLIENT], { timeout: INSTALL_MS })
    } catch {
      console.log(`Left out: ${PYTHON_CLIENT} for Python, which cannot be installed.`)
      this.skip()
    }
    const { items } = await call(url, key, 'list')
    const project = items.find(({ state }) => state === 'computed')?.projectId as string
    // Quotes, which are escaped twice, and a row that is larger than the client's limit of an event.
    const lengths = 'CASE WHEN id = 7 THEN 800000 ELSE 9000 END'
    const sql = `SELECT id, repeat('"', ${lengths}) AS filler FROM range(80) AS t(id) ORDER BY id`
    const { stdout } = await run(python, [READER, `${url}/public/v1/mcp`, key, project, sql], { timeout: 60_000 })
    const sessions = JSON.parse(stdout)
    assert.equal(sessions.length, 2) // both generations of the protocol
    for (const { ids, pages, size, relations, columns, tools } of sessions) {
      assert.deepEqual(
        ids,
        Array.from({ length: 80 }, (_, id) => id),
      )
      assert.equal(size, 800_000 + 79 * 9000)
      assert.ok(pages >= Math.ceil((2 * 79 * 9000) / (256 * 1024)) + 1, `${pages} pages`)
      assert.ok(relations > 20 && columns > 0, `${relations} relations, the first with ${columns} columns`)
      assert.deepEqual(tools.slice(0, 4), [
        ...['projects_describe', 'projects_export'],
        ...['projects_list', 'projects_query'],
      ])
      const queries = catalogue.queries.map(({ name }) => `queries_${name}`)
      assert.deepEqual(tools.slice(4), queries.sort())
    }
  }).timeout(INSTALL_MS + 60_000)
})
