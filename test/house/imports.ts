import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'

/** An import or a re-export, of values or of types alone. */
export interface Import {
  /** The file, relative to the folder that was searched. */
  file: string
  /** What it names, as written. */
  from: string
  isOfTypes: boolean
}

/** Rooms (folders and files below the root) in layers: each may import from its own line and the lines above it. */
export type Layers = readonly (readonly string[])[]

const IMPORTS =
  /^(?:import|export) (type )?(?:(?:\w+, )?\{([^}]*)\}|[^'"{]*) from '([^']+)'|^import '([^']+)'|(?:\bimport|\))\('([^']+)'\)/gm

/** Lists the imports of the TypeScript files below a folder, but for those in `dist` and `node_modules`. */
export async function importsBelow(folder: string): Promise<Import[]> {
  const files = (await readdir(folder, { recursive: true })).filter(
    name => name.endsWith('.ts') && !name.endsWith('.d.ts') && !/(^|\/)(dist|node_modules)\//.test(name),
  )
  const found = await Promise.all(
    files.map(async file => {
      const text = await readFile(join(folder, file), 'utf8')
      return [...text.matchAll(IMPORTS)].map(([, type, names, ...froms]) => ({
        file,
        from: froms.find(from => from !== undefined) as string,
        isOfTypes: type !== undefined || (names?.trim() ? areTypes(names) : false),
      }))
    }),
  )
  return found.flat()
}

const areTypes = (names: string) =>
  names.split(',').every(name => name.trim() === '' || name.trim().startsWith('type '))

/** The folder or file directly below the root that a path is in. */
export const roomOf = (file: string) => file.split('/')[0]?.replace(/\.[jt]s$/, '') as string

/** The file that an import within the folder names, without its extension; null for a package. */
export function targetOf({ file, from }: Import): string | null {
  return from.startsWith('.') ? normalize(join(dirname(file), from)).replace(/\.js$/, '') : null
}

/** The imports that go to a later layer, and rooms that have no layer. */
export function upwardsIn(imports: readonly Import[], layers: Layers): string[] {
  const layerOf = (room: string) => layers.findIndex(rooms => rooms.includes(room))
  return imports.flatMap(each => {
    const target = targetOf(each)
    const [own, other] = [layerOf(roomOf(each.file)), target === null ? 0 : layerOf(roomOf(target))]
    if (own < 0) return [`${roomOf(each.file)} has no layer`]
    return other > own || other < 0 ? [`${each.file} imports ${target}`] : []
  })
}

/** Groups of files that import each other in a circle, whether for values or for types. */
export function circlesIn(imports: readonly Import[]): string[][] {
  const named = new Map<string, Set<string>>()
  for (const each of imports) {
    const target = targetOf(each)
    const file = each.file.replace(/\.ts$/, '')
    named.set(file, (named.get(file) ?? new Set()).add(target ?? file))
  }
  const reached = new Map([...named.keys()].map(file => [file, reach(file, named)]))
  const circles = new Map<string, string[]>()
  for (const [file, others] of reached) {
    const circle = [...others].filter(other => other !== file && reached.get(other)?.has(file))
    if (circle.length > 0) circles.set([file, ...circle].sort().join(), [file, ...circle].sort())
  }
  return [...circles.values()]
}

/** Pairs of folders that import each other, in either direction for values or for types. */
export function mutualIn(imports: readonly Import[]): string[] {
  const pairs = new Set<string>()
  for (const each of imports) {
    const target = targetOf(each)
    const [own, other] = [dirname(each.file), dirname(target ?? each.file)]
    if (own !== other && own !== '.' && other !== '.') pairs.add(`${own} and ${other}`)
  }
  return [...pairs].filter(pair => {
    const [own = '', other = ''] = pair.split(' and ')
    return own < other && pairs.has(`${other} and ${own}`)
  })
}

function reach(file: string, named: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>()
  const ahead = [...(named.get(file) ?? [])]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (found.has(next)) continue
    found.add(next)
    ahead.push(...(named.get(next) ?? []))
  }
  return found
}
