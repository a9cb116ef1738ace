import { existsSync } from 'node:fs'

/**
 * The URL of a script that runs in a child process; `from` is the `import.meta.url` of the module that starts it. Throws
 * an Error when the script is not there, as in a bundle. It has a function of its own because bundlers rewrite
 * `new URL('…', import.meta.url)` with a literal path, and would copy the script without what it imports.
 */
export function childScript(path: string, from: string | undefined): URL {
  const script = from !== undefined && URL.canParse(path, from) ? new URL(path, from) : null
  if (script?.protocol === 'file:' && existsSync(script)) return script
  throw new Error(
    'Foldgate cannot be bundled: it starts child processes from files of its package. Keep the package external, with ' +
      "serverExternalPackages: ['foldgate'] in Next.js or --packages=external in esbuild.",
  )
}
