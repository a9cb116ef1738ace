import type { DuckDBConnection } from '@duckdb/node-api'
import type { SealJob, SealProblem } from '../jobs.js'
import { identifier } from '../quote.js'

const MAX_NAMED = 10

/** Checks the ownership tree: shares, one root, holders that exist, one id an entity, nobody holding itself. */
export async function checkHierarchy(
  connection: DuckDBConnection,
  hierarchy: SealJob['hierarchy'],
): Promise<SealProblem[]> {
  const columns = [hierarchy.key, hierarchy.parent, hierarchy.id, hierarchy.share].map(identifier).join(', ')
  const reader = await connection.runAndReadAll(`SELECT ${columns} FROM ${identifier(hierarchy.table)} ORDER BY rowid`)
  const problems: SealProblem[] = []
  const say = (column: string, message: string) => problems.push({ table: hierarchy.table, column, message })
  const holders = new Map<string, string[]>()
  const ids = new Map<string, string>()
  const keyOfId = new Map<string, string>()
  const roots = new Set<string>()
  for (const [keyValue, parentValue, idValue, shareValue] of reader.getRows()) {
    const [key, id, share] = [String(keyValue), String(idValue), Number(shareValue)]
    if (shareValue === null || !(share >= 0 && share <= 1))
      say(hierarchy.share, `entity "${key}": the share ${shareValue} is not within 0 and 1`)
    if (ids.has(key) ? ids.get(key) !== id : keyOfId.has(id))
      say(hierarchy.id, `entity "${key}": an entity has one id, and no two share it`)
    ids.set(key, id)
    keyOfId.set(id, key)
    if (parentValue === null) roots.add(key)
    else holders.set(key, [...(holders.get(key) ?? []), String(parentValue)])
  }
  if (roots.size !== 1)
    say(hierarchy.parent, `there must be one root without a holder, not ${roots.size}: ${named(roots)}`)
  for (const [key, parents] of holders) {
    const unknown = parents.find(parent => !ids.has(parent))
    if (unknown !== undefined) say(hierarchy.parent, `entity "${key}": its holder "${unknown}" is not in the table`)
    if (roots.has(key)) say(hierarchy.parent, `entity "${key}": the root has no holder`)
  }
  const cycle = findCycle(holders)
  if (cycle) say(hierarchy.parent, `these entities hold each other in a circle: ${named(cycle)}`)
  return problems
}

/** Entities on one circle of holders, or null: what remains when entities whose holders are settled are taken away. */
function findCycle(holders: ReadonlyMap<string, readonly string[]>): string[] | null {
  const settled = new Set<string>()
  for (const start of holders.keys()) {
    const path: string[] = []
    const onPath = new Set<string>()
    const stack: { key: string; next: number }[] = [{ key: start, next: 0 }]
    while (stack.length > 0) {
      const top = stack.at(-1) as { key: string; next: number }
      if (top.next === 0) {
        path.push(top.key)
        onPath.add(top.key)
      }
      const parent = (holders.get(top.key) ?? [])[top.next++]
      if (parent === undefined || settled.has(top.key)) {
        settled.add(top.key)
        onPath.delete(path.pop() as string)
        stack.pop()
      } else if (onPath.has(parent)) return path.slice(path.indexOf(parent))
      else if (!settled.has(parent)) stack.push({ key: parent, next: 0 })
    }
  }
  return null
}

function named(keys: Iterable<string>): string {
  const all = [...keys]
  const shown = all.slice(0, MAX_NAMED).map(key => `"${key}"`)
  return shown.join(', ') + (all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : '')
}
