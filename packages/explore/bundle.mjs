// Bundles the query page into dist/page: its script and styles, the outlines of land, and the licences of what is in them.
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { FUNCTIONS, TABLE_FUNCTIONS } from '../../dist/guard/inventory.js'
import { BASE_STYLE } from '../../server/dist/pages/base-style.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = join(ROOT, 'packages/explore/dist/page')
/** Packages that 'foldgate/client' imports on demand, and the module in their place. */
const UNUSED = ['apache-arrow', 'json-rpc-2.0', 'parquet-wasm']
const EMPTY = 'data:text/javascript,export {}'
/** Leaves out the parts of 'foldgate/client' that read tables and open WebSockets. */
const unusedParts = {
  name: 'unused parts',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]dist[\\/]client[\\/](?:socket|table)\.js$/ }, () => ({
      contents: 'export const overSocket = null, readTable = null',
    })),
}
const LAND = fileURLToPath(import.meta.resolve('world-atlas/land-110m.json'))

await rm(PAGE, { recursive: true, force: true })
await mkdir(PAGE, { recursive: true })
const names = [...FUNCTIONS, ...TABLE_FUNCTIONS].filter(name => /^[a-z]\w*$/.test(name)).sort()
const { metafile } = await build({
  entryPoints: ['script/main.ts', 'style.css'].map(name => join(ROOT, 'packages/explore/src', name)),
  outdir: PAGE,
  entryNames: '[name]',
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  metafile: true,
  legalComments: 'none',
  // The client loads these for tables and other entry points, which the page does not use.
  alias: Object.fromEntries(UNUSED.map(name => [name, EMPTY])),
  plugins: [unusedParts],
  // Completion offers what the guard accepts; the guard itself stays on the server.
  define: { GUARD_FUNCTIONS: JSON.stringify(names) },
})
// Pages of the server have it already; those of other hosts load it first.
const { code } = await transform(BASE_STYLE, { loader: 'css', minify: true })
await writeFile(join(PAGE, 'base.css'), code)
await copyFile(LAND, join(PAGE, 'land.json'))
await writeFile(
  join(PAGE, 'licences.txt'),
  await licences([...Object.keys(metafile.inputs), relative(ROOT, LAND)]),
)

/** The licences of the packages that these files are from, with their names and versions. */
async function licences(files) {
  const folders = new Set(
    files.flatMap(file => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  )
  const texts = await Promise.all(
    [...folders].sort().map(async folder => {
      const { name, version } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8'))
      const file = (await readdir(join(ROOT, folder))).find(entry => /^licen[cs]e/i.test(entry))
      if (!file) throw new Error(`${name} has no licence to ship with the query page`)
      return `${name} ${version}\n\n${(await readFile(join(ROOT, folder, file), 'utf8')).trim()}\n`
    }),
  )
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
