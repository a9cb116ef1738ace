import { randomUUID } from 'node:crypto'
import type { ProjectPort, ProjectRecord } from 'foldgate'
import {
  type Check,
  type ContractOptions,
  contract,
  must,
  mustBe,
  mustEndWhenAborted,
  type Subject,
  shown,
  together,
  wanted,
} from './contract.js'

/** A project that a check registers. */
export interface NewProject {
  /** Display name. */
  name: string
  /**
   * Key of the organization that owns the project. The subject creates the organization when it does not
   * exist.
   */
  organization: string
  /** Whether a snapshot was completed. */
  completed: boolean
  /** Whether the next snapshot is being prepared, as by an assessment that is running. */
  running: boolean
}

/** A port of projects to check. It has no projects of the organizations `contract-a` and `contract-b`. */
export interface ProjectSubject extends Subject<ProjectPort> {
  /** Registers a project, as the host would, and returns its id. Checks also make several calls at once. */
  add(project: NewProject): Promise<string> | string
}

const A = 'contract-a'
const B = 'contract-b'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Returns the checks that a `ProjectPort` must pass. Each check makes its own subject with `makeSubject` when it runs.
 *
 * @param makeSubject - Makes a port without projects of the organizations `contract-a` and `contract-b`, and `add()`,
 * which registers a project as the host would and returns its id. It may have `close()`, which the check calls at its
 * end.
 * @param options - How long a call may take before it counts as hanging: `patienceMs`, default 10,000 ms.
 * @returns The checks, to be registered with a test runner. `run` rejects with an error that says what the subject did
 * and what it should do.
 *
 * @example
 * ```ts
 * const checks = projectPortContract(() => {
 *   const database = new Database()
 *   return { port: database.projects, add: project => database.addProject(project), close: () => database.close() }
 * })
 * for (const { name, run } of checks) it(name, run)
 * ```
 */
export function projectPortContract(
  makeSubject: () => ProjectSubject | Promise<ProjectSubject>,
  options: ContractOptions = {},
): Check[] {
  return contract(makeSubject, CHECKS, options)
}

async function add(
  { add }: ProjectSubject,
  organization: string,
  more: Partial<NewProject> = {},
): Promise<string> {
  return add({ name: 'A project', organization, completed: false, running: false, ...more })
}

async function list(
  port: ProjectPort,
  organizations: string[],
  after = 0,
  limit = 500,
): Promise<ProjectRecord[]> {
  const answer = await port.list({ organizations, after, limit }, wanted())
  must(Array.isArray(answer), `list() answered ${shown(answer)}`, 'answer an array')
  must(
    answer.length <= limit,
    `list() with limit ${limit} answered ${answer.length} projects`,
    'answer no more',
  )
  return answer
}

/** Reads all pages of `limit` projects each. Returns the ids of the projects. */
async function pages(
  port: ProjectPort,
  limit: number,
  between: (page: number) => Promise<unknown> = async () => {},
) {
  const all: ProjectRecord[] = []
  for (let page = 1; ; page++) {
    const next = await list(port, [A, B], all.at(-1)?.sequence ?? 0, limit)
    all.push(...next)
    if (next.length < limit) return ids(all)
    must(page < 1000, `list() never ended with limit ${limit}`, 'answer what is after the sequence given')
    await between(page)
  }
}

const ids = (projects: ProjectRecord[]) => projects.map(project => project.projectId)

const CHECKS = {
  async 'finds a project with all that is known of it'(subject: ProjectSubject) {
    for (const state of [
      { completed: false, running: false },
      { completed: true, running: true },
    ]) {
      const name = `Größe "1" ${state.completed}'`
      const projectId = await add(subject, A, { name, ...state })
      const found = await subject.port.find(projectId, wanted())
      must(UUID.test(projectId), `a project had the id ${shown(projectId)}`, 'be a UUID in lower case')
      must(
        Number.isSafeInteger(found?.sequence),
        `a project had the sequence ${found?.sequence}`,
        'be a whole number',
      )
      const expected = { projectId, name, organization: A, sequence: found?.sequence, ...state }
      const known =
        found &&
        Object.fromEntries(Object.keys(expected).map(name => [name, found[name as keyof ProjectRecord]]))
      mustBe('find()', known, expected)
    }
  },

  async 'answers null for a project that does not exist'({ port }: ProjectSubject) {
    mustBe('find() of an unknown id', await port.find(randomUUID(), wanted()), null)
  },

  async 'lists the projects of the organizations asked for, and no others'(subject: ProjectSubject) {
    const first = await add(subject, A)
    const second = await add(subject, B)
    const third = await add(subject, A)
    mustBe('list() of one organization', ids(await list(subject.port, [A])), [first, third])
    mustBe('list() of another one', ids(await list(subject.port, [B])), [second])
    mustBe('list() of two', ids(await list(subject.port, [B, A])), [first, second, third])
    mustBe('list() of none', await list(subject.port, []), [])
    for (const organization of ['contract-none', '%', "' OR 1=1 --", 'CONTRACT-A', 'contract'])
      mustBe(`list() of ${shown(organization)}`, await list(subject.port, [organization]), [])
  },

  async 'lists what it finds'(subject: ProjectSubject) {
    const projectId = await add(subject, A, { completed: true })
    const [listed] = await list(subject.port, [A])
    mustBe('find() of a project that is in the list', await subject.port.find(projectId, wanted()), listed)
  },

  async 'lists in the order of registration, by sequences that only grow'(subject: ProjectSubject) {
    const added: string[] = []
    // The names are not in the order of registration.
    for (const name of ['m', 'a', 'z', 'b']) added.push(await add(subject, name < 'n' ? A : B, { name }))
    const listed = await list(subject.port, [A, B])
    mustBe('list()', ids(listed), added)
    const sequences = listed.map(project => project.sequence)
    const grow = sequences.every((sequence, at) => at === 0 || sequence > (sequences[at - 1] as number))
    must(
      grow && (sequences[0] ?? 0) > 0,
      `list() had the sequences ${sequences}`,
      'have ones above 0 that only grow',
    )
  },

  async 'lists each project once over pages of any size'(subject: ProjectSubject) {
    const added: string[] = []
    for (let at = 0; at < 5; at++) added.push(await add(subject, at % 2 === 0 ? A : B))
    for (const limit of [1, 2, 3, 5, 6])
      mustBe(`list() in pages of ${limit}`, await pages(subject.port, limit), added)
    mustBe('list() after the last one', await list(subject.port, [A, B], Number.MAX_SAFE_INTEGER), [])
  },

  async 'lists a project that is added between two pages last'(subject: ProjectSubject) {
    const added = [await add(subject, A), await add(subject, B), await add(subject, A)]
    const late = async (page: number) =>
      page === 1 && added.push(await add(subject, B, { name: 'A late one' }))
    mustBe('list() in pages of 2', await pages(subject.port, 2, late), added)
  },

  async 'lists each of many that are registered at once, to concurrent readers too'(subject: ProjectSubject) {
    const adding = Array.from({ length: 12 }, (_, at) => add(subject, at % 2 === 0 ? A : B))
    let over = false
    const added = together(adding).finally(() => {
      over = true
    })
    const seen: ProjectRecord[] = []
    for (let last = false; !last; ) {
      last = over
      seen.push(...(await list(subject.port, [A, B], seen.at(-1)?.sequence ?? 0)))
      await new Promise(setImmediate)
    }
    mustBe('list() page after page meanwhile', ids(seen).sort(), (await added).sort())
  },

  async 'lets no call hang when its answer is no longer wanted'(subject: ProjectSubject) {
    const projectId = await add(subject, A)
    await mustEndWhenAborted(signal => subject.port.find(projectId, signal))
    await mustEndWhenAborted(signal => subject.port.list({ organizations: [A], after: 0, limit: 5 }, signal))
    mustBe('list() afterwards', ids(await list(subject.port, [A])), [projectId])
  },
}
