import type { Caller } from 'foldgate'

/** Each partner reads two relations of one project, and exports nothing. */
export function partnerOf(keyId: string, projectId: string): Caller {
  return {
    keyId,
    ownerId: 'partners',
    organizations: ['us'],
    only: {
      projects: [projectId],
      methods: ['projects/list', 'projects/describe', 'projects/query'],
      relations: ['revenue', 'customers'],
    },
  }
}
