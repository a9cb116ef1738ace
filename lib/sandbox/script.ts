import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'

const ENGINE = '@duckdb/node-api'
/** Packages that load shared objects: the engine, and optional packages. */
export const NATIVE = [ENGINE, 'lz4-napi']

/**
 * The URL of a script that runs in a child process, or of its bundle; `from` is the `import.meta.url` of the module that starts
 * it. Throws an Error when the script, or the engine that it imports, is not there, as in a bundle. It has a
 * function of its own because bundlers rewrite `new URL('…', import.meta.url)` with a literal path, and would
 * copy the script without what it imports.
 */
export function childScript(path: string, from: string | undefined): URL {
  const script = from !== undefined && URL.canParse(path, from) ? new URL(path, from) : null
  if (script?.protocol !== 'file:' || !existsSync(script))
    throw new Error(
      'Foldgate cannot be bundled: it starts child processes from files of its package. Keep the package external, with ' +
        "serverExternalPackages: ['foldgate'] in Next.js or --packages=external in esbuild.",
    )
  try {
    createRequire(script).resolve(ENGINE)
  } catch (cause) {
    throw new Error(
      `Foldgate does not find the package ${ENGINE}, which its child processes import. Install it, or copy it into the ` +
        'build: in Next.js, with outputFileTracingIncludes.',
      { cause },
    )
  }
  return bundleOf(script, import.meta.url) ?? script
}

/**
 * The bundle of a script, from which a process starts sooner; null if there is none, or if it is older than the last
 * compilation, of which packages have no record.
 */
function bundleOf(script: URL, from: string): URL | null {
  const built = new URL('../', from).href
  if (!script.href.startsWith(built)) return null
  const bundle = new URL(script.href.slice(built.length), `${built}bundle/`)
  const [bundledMs, compiledMs = 0] = [bundle, new URL('.tsbuildinfo', built)].map(
    file => statSync(file, { throwIfNoEntry: false })?.mtimeMs,
  )
  return bundledMs !== undefined && bundledMs >= compiledMs ? bundle : null
}
