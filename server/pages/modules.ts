import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Asset } from './assets.js'

/** Where the build puts the modules of the query page. */
const BUILT = new URL('../explore/', import.meta.url)
const LIBRARY = 'uplot/dist/'

/** Modules import each other by name, so they share one folder, whose path contains a hash of all of them. */
const texts: Record<string, string> = {
  ...Object.fromEntries(builtModules().map(name => [name, readFileSync(new URL(name, BUILT), 'utf8')])),
  'uplot.js': readLibrary('uPlot.esm.js'),
}
const folder = createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 16)

/** Every module of the query page; the plot library comes last. */
export const MODULES: readonly Asset[] = Object.entries(texts).map(([name, text]) => ({
  path: `/assets/${folder}/${name}`,
  type: 'text/javascript; charset=utf-8',
  text,
}))

/** The stylesheet of the plot library. */
export const PLOT_STYLE = readLibrary('uPlot.min.css')

/** Path of a module by its name. */
export function modulePath(name: string): string {
  return `/assets/${folder}/${name}`
}

function builtModules(): string[] {
  return readdirSync(BUILT)
    .filter(name => name.endsWith('.js'))
    .sort()
}

function readLibrary(file: string): string {
  return readFileSync(fileURLToPath(import.meta.resolve(`${LIBRARY}${file}`)), 'utf8')
}
