import type { Caller, KeyPort, ProjectPort, ProjectRecord } from 'foldgate'

/** A clock that tests move. */
export class TestClock {
  #offsetMs = 0

  now(): number {
    return Date.now() + this.#offsetMs
  }

  advance(ms: number): void {
    this.#offsetMs += ms
  }
}

/** In-memory keys and projects, which tests change as a host's administrators would. */
export class TestHost {
  readonly callers = new Map<string, Caller>()
  readonly projects: ProjectRecord[] = []

  readonly keyPort: KeyPort = { authenticate: async key => this.callers.get(key) ?? null }

  readonly projectPort: ProjectPort = {
    find: async projectId => this.projects.find(project => project.projectId === projectId) ?? null,
    list: async ({ organizations, after, limit }) =>
      this.projects
        .filter(project => organizations.includes(project.organization) && project.sequence > after)
        .sort((a, b) => a.sequence - b.sequence)
        .slice(0, limit),
  }

  addProject(project: Partial<ProjectRecord> & { projectId: string }): ProjectRecord {
    const sequence = this.projects.length + 1
    const record = {
      name: `Project ${sequence}`,
      organization: 'north',
      completed: false,
      running: false,
      ...project,
      sequence,
    }
    this.projects.push(record)
    return record
  }
}
