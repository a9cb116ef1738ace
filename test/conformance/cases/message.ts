const COMMON = { jsonrpc: '2.0', id: 'i', method: 'projects/list' }

/** Returns a `projects/list` request as JSON, with members replaced or added. */
export const message = (members: Record<string, unknown>): string => JSON.stringify({ ...COMMON, ...members })

/** The result of that request. */
export const PROJECTS = { items: [{ name: 'Project 1' }, { name: 'Project 2' }] }
