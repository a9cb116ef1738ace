import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'

/** A symbolic link that leads to something that is shown. */
export interface SymbolicLink {
  path: string
  target: string
}

/** Files, folders and links that have to exist behind walls so that paths lead to the same places as outside. */
export interface ShownPaths {
  /** Without links in them, none within another. */
  real: string[]
  links: SymbolicLink[]
}

const MOST_LINKS = 40

/** Follows every path. A path that leads nowhere is left out. */
export function followed(paths: Iterable<string>): ShownPaths {
  const real = new Set<string>()
  const links = new Map<string, string>()
  for (const path of paths) {
    const found = follow(resolve(path), links)
    if (found !== null) real.add(found)
  }
  const isWithin = (path: string) => {
    for (let above = dirname(path); above !== dirname(above); above = dirname(above))
      if (real.has(above)) return true
    return false
  }
  return {
    real: [...real].filter(path => !isWithin(path)),
    links: [...links].filter(([path]) => !isWithin(path)).map(([path, target]) => ({ path, target })),
  }
}

/** The place to which a path leads; collects the links on the way. */
function follow(path: string, links: Map<string, string>): string | null {
  const ahead = path.split(sep).filter(Boolean)
  let at: string = sep
  for (let followed = 0; ahead.length > 0; ) {
    const next = join(at, ahead.shift() as string)
    const found = lstatSync(next, { throwIfNoEntry: false })
    if (!found || followed > MOST_LINKS) return null
    if (!found.isSymbolicLink()) {
      at = next
      continue
    }
    const target = readlinkSync(next)
    links.set(next, target)
    followed += 1
    ahead.unshift(...resolve(at, target).split(sep).filter(Boolean))
    at = sep
  }
  return at
}
