import { createHash } from 'node:crypto'
import { type AnalyticsApi, toKoaMiddleware } from 'foldgate'
import Koa from 'koa'
import Router from 'koa-router'
import { logLine, reasonOf } from './events.js'

const STYLE = 'body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const PAGE_HEADERS = {
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; ` +
    "frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

/** The Koa application: the methods under `/public/v1/`, a page at `/`, and `/live` for whoever watches the process. */
export function createApp(api: AnalyticsApi, baseUrl: string): Koa {
  const router = new Router()
  router.get('/', context => {
    context.set(PAGE_HEADERS)
    context.type = 'html'
    context.body = page(baseUrl)
  })
  router.get('/live', context => {
    context.set('Cache-Control', 'no-store')
    context.body = { status: 'live' }
  })
  const app = new Koa()
  app.on('error', (error: unknown, context?: Koa.Context) => {
    // That a caller has hung up is no news.
    if (!context?.req.socket.destroyed) logLine(`request failed: ${reasonOf(error)}`)
  })
  app.use(toKoaMiddleware(api))
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}

function page(baseUrl: string): string {
  const url = escapeHtml(baseUrl)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Foldgate</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Foldgate</h1>
<p>This service opens the sealed analytics of assessed projects: list the projects that a key reads, describe what can be
queried, run one read-only SELECT, or export its rows as Parquet. It is experimental.</p>
<h2>The API</h2>
<p>POST <code>${url}/public/v1/api/&lt;method&gt;</code> with a JSON body, for <code>projects/list</code>,
<code>projects/describe</code>, <code>projects/query</code> and <code>projects/export</code>.</p>
<pre>curl -X POST ${url}/public/v1/api/projects/list -H 'Authorization: Bearer API_KEY'</pre>
<h2>Keys</h2>
<p>Every call needs an API key. Who runs this service makes one on the command line; it is shown once:</p>
<pre>foldgate key create --user EMAIL --organization KEY</pre>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
