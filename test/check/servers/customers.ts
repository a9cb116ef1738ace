import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import catalogue from '#assessed/catalogue.js'
import { openStore } from '#server/database/store.js'
import { createKey } from '#server/store/keys.js'
import type { Service } from './service.js'

/** A project with one of the keys that read its organization. */
export interface Customer {
  projectId: string
  key: string
}

/** The user who owns the keys. */
export const OWNER = 'ada@example.org'

/**
 * Imports small projects, spread over a number of organizations, and makes keys for each organization. Returns each project
 * with each key of its organization. Writes its files below `folder`.
 */
export async function addCustomers(
  service: Pick<Service, 'command'>,
  store: string,
  folder: string,
  { projects, organizations, keys }: { projects: number; organizations: number; keys: number },
): Promise<Customer[]> {
  const source = join(folder, 'package')
  const ids = await writeProjects(source, projects, organizations)
  await service.command('import', source)
  const names = Array.from({ length: organizations }, (_, at) => `organization-${at}`)
  const granted = names.flatMap(name => ['--organization', name])
  await service.command('user', 'add', OWNER, ...granted)
  const control = await openStore(store)
  try {
    const customers: Customer[] = []
    for (const [at, name] of names.entries())
      for (let made = 0; made < keys; made++) {
        const { key } = await createKey(control, { user: OWNER, organizations: [name] })
        const own = ids.filter((_, project) => project % organizations === at)
        customers.push(...own.map(projectId => ({ projectId, key })))
      }
    return customers
  } finally {
    await control.close()
  }
}

/** Writes a package of projects with one company and one site each; returns their ids. */
async function writeProjects(folder: string, projects: number, organizations: number): Promise<string[]> {
  await mkdir(folder)
  const ids = Array.from({ length: projects }, () => randomUUID())
  const files: Record<string, string[]> = {
    organizations: [
      'organization_key,name',
      ...Array.from({ length: organizations }, (_, at) => `organization-${at},Organization ${at}`),
    ],
    projects: [
      'project_key,project_id,organization_key,name,state,created_at,note',
      ...ids.map((id, at) => `p${at},${id},organization-${at % organizations},P${at},computed,2025-01-01T00:00:00Z,`),
    ],
  }
  for (const table of catalogue.relations.values()) {
    if (table.kind !== 'table' || table.optional) continue
    const columns = ['project_key', ...Object.keys(table.columns ?? {})]
    const rowOf = ROWS[table.name]
    const rows = rowOf ? ids.map((_, at) => rowOf(`p${at}`)) : []
    files[table.name] = [columns, ...rows.map(row => columns.map(column => row[column] ?? ''))].map(row =>
      row.join(','),
    )
  }
  for (const [name, lines] of Object.entries(files))
    await writeFile(join(folder, `${name}.csv`), `${lines.join('\n')}\n`)
  return ids
}

const ROWS: Record<string, (key: string) => Record<string, string>> = {
  entities: key => ({ project_key: key, entity_key: 'group', entity_id: randomUUID(), ownership_share: '1' }),
  sites: key => ({ project_key: key, site_key: 'site', entity_key: 'group' }),
}
