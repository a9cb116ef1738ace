import type { ProjectPort, ProjectRecord } from 'foldgate'
import type { ProjectSubject } from '#contracts/project-port.js'
import { never, turn, type Wrong } from './wrong.js'

type List = ProjectPort['list']
type Query = Parameters<List>[0]

/** Spoils the query of a list, or its answer. */
const wrongList = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (list: (query: Query) => Promise<ProjectRecord[]>, query: Query) => Promise<ProjectRecord[]>,
): Wrong<ProjectSubject> => ({
  check,
  what,
  says,
  spoil: ({ port, ...subject }) => ({
    ...subject,
    port: {
      find: (projectId, signal) => port.find(projectId, signal),
      list: (query, signal) => spoilt(asked => port.list(asked, signal), query),
    },
  }),
})

const wrongFind = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (found: ProjectRecord | null) => unknown,
): Wrong<ProjectSubject> => ({
  check,
  what,
  says,
  spoil: ({ port, ...subject }) => ({
    ...subject,
    port: {
      find: async (projectId, signal) => spoilt(await port.find(projectId, signal)) as ProjectRecord | null,
      list: (query, signal) => port.list(query, signal),
    },
  }),
})

const FIND = 'finds a project with all that is known of it'
const OWN = 'lists the projects of the organizations asked for, and no others'
const ORDER = 'lists in the order of registration, by sequences that only grow'
const PAGES = 'lists each project once over pages of any size'
const LATE = 'lists a project that is added between two pages last'
const AT_ONCE = 'lists each of many that are registered at once, to concurrent readers too'
const HANG = 'lets no call hang when its answer is no longer wanted'
const ALL = ['contract-a', 'contract-b']

export const wrongProjects: Wrong<ProjectSubject>[] = [
  wrongFind(
    FIND,
    'returns numbers for states',
    /answer .*"completed":false/,
    found => found && { ...found, completed: 0 },
  ),
  wrongFind(FIND, 'returns sequences as strings', /be a whole number/, found => found && { ...found, sequence: '1' }),
  wrongFind(
    'answers null for a project that does not exist',
    'leaves it undefined',
    /should answer null/,
    found => found ?? undefined,
  ),
  wrongList(OWN, 'lists every project', /list\(\) of one organization/, (list, query) =>
    list({ ...query, organizations: ALL }),
  ),
  wrongList(OWN, 'treats no organizations as all', /list\(\) of none/, (list, query) =>
    list(query.organizations.length > 0 ? query : { ...query, organizations: ALL }),
  ),
  wrongList(OWN, 'compares with LIKE', /list\(\) of "%"/, (list, query) =>
    list(query.organizations[0] === '%' ? { ...query, organizations: ALL } : query),
  ),
  wrongList('lists what it finds', 'lists an old state', /"completed":false/, async (list, query) =>
    (await list(query)).map(project => ({ ...project, completed: false })),
  ),
  wrongList(ORDER, 'sorts by name', /list\(\) answered/, async (list, query) =>
    (await list(query)).sort((a, b) => (a.name < b.name ? -1 : 1)),
  ),
  wrongList(ORDER, 'gives a sequence to two projects', /sequences 1,1,2,2/, async (list, query) =>
    (await list(query)).map(project => ({ ...project, sequence: Math.ceil(project.sequence / 2) })),
  ),
  wrongList(PAGES, 'repeats the last project of a page', /never ended|in pages of 1/, (list, query) =>
    list({ ...query, after: query.after - 1 }),
  ),
  wrongList(PAGES, 'skips projects', /in pages of/, (list, query) => list({ ...query, after: query.after * 2 })),
  wrongList(PAGES, 'ignores the limit', /limit 1 answered 5 projects/, (list, query) => list({ ...query, limit: 500 })),
  {
    check: LATE,
    what: 'lists only the projects of its first call',
    says: /pages of 2/,
    spoil({ port, ...subject }) {
      let kept: Promise<ProjectRecord[]> | undefined
      const list: List = async ({ after, limit }, signal) => {
        kept ??= port.list({ organizations: ALL, after: 0, limit: 500 }, signal)
        return (await kept).filter(project => project.sequence > after).slice(0, limit)
      }
      return { ...subject, port: { find: port.find, list } }
    },
  },
  {
    check: AT_ONCE,
    what: 'assigns sequences before it commits',
    says: /page after page/,
    spoil() {
      const projects: ProjectRecord[] = []
      let sequence = 0
      return {
        async add(project) {
          const record = { ...project, projectId: crypto.randomUUID(), sequence: ++sequence }
          for (let turns = record.sequence % 2 === 0 ? 2 : 9; turns > 0; turns--) await turn()
          projects.push(record)
          return record.projectId
        },
        port: {
          find: async () => null,
          list: async ({ after }) =>
            projects.filter(project => project.sequence > after).sort((a, b) => a.sequence - b.sequence),
        },
      }
    },
  },
  {
    check: HANG,
    what: 'falls silent in find()',
    says: /find\(\) had not answered/,
    spoil: ({ port, ...subject }) => ({
      ...subject,
      port: { find: (id, signal) => (signal.aborted ? never : port.find(id, signal)), list: port.list },
    }),
  },
  {
    check: HANG,
    what: 'falls silent in list()',
    says: /list\(\) had not answered/,
    spoil: ({ port, ...subject }) => ({
      ...subject,
      port: { find: port.find, list: (query, signal) => (signal.aborted ? never : port.list(query, signal)) },
    }),
  },
]
