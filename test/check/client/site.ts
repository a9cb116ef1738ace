import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listen } from './front.js'

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
}

/** Folder of the repository's packages. */
export const MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url))

/** Serves a web site: `pages` maps paths to contents, `folders` maps path prefixes to folders. */
export async function serveFiles(
  pages: Record<string, string | Uint8Array>,
  folders: Record<string, string> = {},
): Promise<{ url: string; close(): void }> {
  const find = async (path: string): Promise<string | Uint8Array | null> => {
    if (path in pages) return pages[path] as string
    const at = Object.keys(folders).find(prefix => path.startsWith(prefix))
    return at === undefined
      ? null
      : readFile(join(folders[at] as string, normalize(path.slice(at.length)))).catch(() => null)
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const content = await find(pathname)
    const type = TYPES[extname(pathname) || '.html'] ?? 'application/octet-stream'
    response.writeHead(content === null ? 404 : 200, { 'content-type': type }).end(content ?? 'nothing here')
  })
  const url = await listen(server)
  return {
    url,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
