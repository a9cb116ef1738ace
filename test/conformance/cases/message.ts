const COMMON = { jsonrpc: '2.0', id: 'i', method: 'projects/list' }

/** The text of a request to list projects, with other members in place of its own or beside them. */
export const message = (members: Record<string, unknown>): string => JSON.stringify({ ...COMMON, ...members })

/** What it lists. */
export const PROJECTS = { items: [{ name: 'Project 1' }, { name: 'Project 2' }] }
