import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atRest } from './at-rest.js'
import { followed, type ShownPaths } from './paths.js'

/** A script that runs in a process of its own, and the packages that it imports, as far as they are there. */
export interface Script {
  url: URL
  packages: readonly string[]
}

/** What the dynamic linker and Node look for, where it is there. */
const OF_THE_SYSTEM = ['/etc/ld.so.cache', '/dev/urandom', '/dev/null']

const known = new Map<string, Promise<ShownPaths>>()

/**
 * What a script needs to read: Node and its shared objects, the files of the script's own package beside it,
 * and the packages that it imports, with those that these depend on.
 */
export function readsOf(script: Script): Promise<ShownPaths> {
  const key = [script.url.href, ...script.packages].join('\n')
  let reads = known.get(key)
  if (!reads) {
    reads = find(script)
    reads.catch(() => known.delete(key))
    known.set(key, reads)
  }
  return reads
}

async function find({ url, packages }: Script): Promise<ShownPaths> {
  const script = fileURLToPath(url)
  const own = ownFiles(realpathSync(fileURLToPath(import.meta.url)))
  const { sharedObjects } = await atRest()
  if (sharedObjects.length === 0) throw new Error('this runtime does not tell its shared objects: use Node')
  const folders = new Set<string>()
  for (const name of packages) addPackage(name, { from: dirname(script), own, into: folders })
  return followed([process.execPath, ...sharedObjects, ...OF_THE_SYSTEM, ...ownFiles(script), ...folders])
}

/** Of the package that a script is in: its package.json, and the folder of what was built. */
function ownFiles(script: string): string[] {
  for (let folder = dirname(script); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (!existsSync(manifest)) continue
    const [built = ''] = relative(folder, script).split(sep)
    return [manifest, join(folder, built)]
  }
  return [script]
}

/** Adds the folders of a package and of what it depends on, found as Node finds them. */
function addPackage(name: string, search: { from: string; own: string[]; into: Set<string> }): void {
  const { from, own, into } = search
  const [ownManifest = '', ownFolder = ''] = own
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    const manifest = join(found, 'package.json')
    if (existsSync(manifest)) {
      // Of this package itself, which may be linked to a repository, only what it runs.
      const isOwn = realpathSync(manifest) === ownManifest
      const shown = isOwn ? [manifest, join(found, basename(ownFolder))] : [found]
      if (shown.every(path => into.has(path))) return
      for (const path of shown) into.add(path)
      const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
        dependencies?: Record<string, string>
        optionalDependencies?: Record<string, string>
      }
      for (const next of Object.keys({ ...dependencies, ...optionalDependencies }))
        addPackage(next, { ...search, from: found })
      return
    }
    if (folder === dirname(folder)) return // it is optional: the script says so when it needs it
  }
}
