import { createRequire } from 'node:module'
import { mappedBytes } from './memory.js'

/** What a Node process is before it takes work. */
export interface AtRest {
  /** What Node alone has mapped, in bytes. */
  mappedBytes: number
  /** Paths of the shared objects of Node and of those packages that are installed. */
  sharedObjects: string[]
}

// Run as a process of its own, with the names of packages that load shared objects; the first one is the engine.
const mapped = mappedBytes()
const require = createRequire(import.meta.url)
for (const name of process.argv.slice(2)) {
  try {
    require(name)
  } catch (cause) {
    if (name === process.argv[2]) throw cause // the others are optional
  }
}
// Bun and Deno do not tell them.
const { sharedObjects = [] } = process.report.getReport() as unknown as { sharedObjects?: string[] }
const found: AtRest = {
  mappedBytes: mapped,
  sharedObjects: sharedObjects.filter(path => path.startsWith('/')),
}
process.stdout.write(JSON.stringify(found))
