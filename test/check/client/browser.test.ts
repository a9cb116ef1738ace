import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { serveWebSocket } from 'foldgate/ws'
import { WebSocketServer } from 'ws'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { describeInBrowser } from '../browser/browser.js'
import { MODULES, serveFiles } from './site.js'

const SUITE = fileURLToPath(new URL('./suite.js', import.meta.url))
const WASM = 'parquet-wasm/esm/parquet_wasm_bg.wasm'
const IMPORTS = {
  'foldgate/client': '/modules/foldgate/dist/client/index.js',
  'parquet-wasm': '/modules/parquet-wasm/esm/parquet_wasm.js',
  'apache-arrow': '/modules/apache-arrow/Arrow.dom.mjs',
  flatbuffers: '/modules/flatbuffers/mjs/flatbuffers.js',
  'json-with-bigint': '/modules/json-with-bigint/json-with-bigint.js',
  tslib: '/modules/tslib/tslib.es6.mjs',
}
const page = (head: string) => `<!doctype html><title>suite</title>${head}`

/** What pages of another origin should see, however they load the client. */
const SEEN = {
  projects: ['Project 1', 'Project 2'],
  columns: ['entity_key', 'item', 'amount'],
  sum: (1202 * 1203) / 2,
  whole: true,
  rows: 70_000,
  last: 'n69999',
  values: [17_499.75, '2026-11-20'],
  refused: 'INVALID_QUERY',
  stranger: 'UNAUTHENTICATED',
  stopped: 'enough',
}

describeInBrowser('the client in a browser', open => {
  let service: Service
  let silent: Service
  let site: { url: string; close(): void }
  before(async () => {
    service = await startService({ cors: { origins: '*' } })
    const sockets = serveWebSocket(service.api, new WebSocketServer({ noServer: true }))
    service.server.on('upgrade', (request, socket, head) => void sockets.upgrade(request, socket, head))
    silent = await startService({ engine: { connections: 1 } })
    const { outputFiles } = await build({
      entryPoints: [SUITE],
      bundle: true,
      format: 'esm',
      write: false,
      logLevel: 'error',
    })
    site = await serveFiles(
      {
        '/plain': page(
          `<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script><script type="module" src="/suite.js"></script>`,
        ),
        '/bundled': page('<script type="module" src="/bundle.js"></script>'),
        '/suite.js': await readFile(SUITE),
        '/bundle.js': outputFiles[0]?.contents ?? '',
        '/parquet_wasm_bg.wasm': await readFile(`${MODULES}${WASM}`),
      },
      { '/modules/': MODULES },
    )
  })
  after(async () => {
    site.close()
    await Promise.all([service.close(), silent.close()])
  })

  async function seen(way: string, transport: string) {
    const tab = await open()
    const query = {
      url: service.url,
      key: KEYS.north,
      projectId: PROJECT,
      transport,
      silentUrl: transport === 'socket' ? '' : silent.url,
    }
    await tab.goto(`${site.url}/${way}?${new URLSearchParams(query)}`)
    await tab.waitForFunction('window.seen')
    return (await tab.evaluate('window.seen')) as Record<string, unknown>
  }

  for (const [way, transport] of [
    ['plain', 'rest'],
    ['bundled', 'rest'],
    ['bundled', 'json-rpc'],
  ] as const)
    it(`works from another origin, ${way}, over ${transport}`, async () => {
      const { fileName, silent: untold, ...rest } = await seen(way, transport)
      assert.deepEqual(rest, SEEN)
      assert.match(String(fileName), /^project-1-.*\.parquet$/)
      assert.match(
        String(untold),
        /cannot be reached: Failed to fetch\. .*allows pages of http:\/\/127\.0\.0\.1:\d+ \(its CORS/,
      )
    })

  it('works over a WebSocket, which sends the key as a subprotocol, and is not told why another is refused', async () => {
    const { fileName, silent: _, stranger, ...rest } = await seen('bundled', 'socket')
    const { stranger: __, ...others } = SEEN
    assert.deepEqual(rest, others)
    assert.match(String(fileName), /^project-1-.*\.parquet$/)
    assert.match(
      String(stranger),
      /^The WebSocket ws:\/\/\S+\/public\/v1\/ws failed\. Check the address, the key and the network\.$/,
    )
  })

  it('may read the OpenAPI document from any origin', async () => {
    const headers = { origin: 'https://any.example' }
    const answer = await fetch(`${service.url}/public/v1/openapi.json`, { headers })
    assert.deepEqual(
      [answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')],
      ['*', 'Accept-Encoding'],
    )
  })
})
