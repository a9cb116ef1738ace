import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { KeyPort, ProjectPort, ProjectRecord } from 'foldgate'
import Database from 'libsql'

const TABLES = `
  CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, owner TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS members (owner TEXT, organization TEXT, PRIMARY KEY (owner, organization));
  CREATE TABLE IF NOT EXISTS projects (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    organization TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('new', 'running', 'completed', 'running again')));`

/** The host's own database: hashes of keys, members of organizations, and projects with their state. */
export function openDatabase(file: string) {
  const database = new Database(file)
  database.exec(TABLES)
  const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

  const keys: KeyPort = {
    async authenticate(key) {
      const row = database.prepare('SELECT id, owner FROM keys WHERE hash = ?').get(hashOf(key)) as
        | Row
        | undefined
      if (!row) return null
      const members = database
        .prepare('SELECT organization FROM members WHERE owner = ?')
        .all(row.owner) as Row[]
      return {
        keyId: row.id,
        ownerId: row.owner,
        organizations: members.map(({ organization }) => organization),
      }
    },
  }
  const projects: ProjectPort = {
    async find(projectId) {
      const row = database.prepare('SELECT * FROM projects WHERE id = ?').get(projectId) as Row | undefined
      return row ? asProject(row) : null
    },
    async list({ organizations, after, limit }) {
      const page = `SELECT * FROM projects WHERE organization IN (SELECT value FROM json_each(?)) AND sequence > ?
                    ORDER BY sequence LIMIT ?`
      return (database.prepare(page).all(JSON.stringify(organizations), after, limit) as Row[]).map(asProject)
    },
  }

  return {
    keys,
    projects,
    /**
     * Creates a key for an owner and returns it with its id. The key cannot be read again: only its hash is
     * stored.
     */
    createKey(owner: string): { id: string; key: string } {
      const [id, key] = [randomUUID(), randomBytes(32).toString('base64url')]
      database.prepare('INSERT INTO keys VALUES (?, ?, ?)').run(id, hashOf(key), owner)
      return { id, key }
    },
    revokeKey: (id: string) => void database.prepare('DELETE FROM keys WHERE id = ?').run(id),
    join: (owner: string, organization: string) =>
      void database.prepare('INSERT OR IGNORE INTO members VALUES (?, ?)').run(owner, organization),
    addProject({
      name,
      organization,
      state = 'new',
    }: {
      name: string
      organization: string
      state?: State
    }): string {
      const id = randomUUID()
      const insert = 'INSERT INTO projects (id, name, organization, state) VALUES (?, ?, ?, ?)'
      database.prepare(insert).run(id, name, organization, state)
      return id
    },
    setState: (id: string, state: State) =>
      void database.prepare('UPDATE projects SET state = ? WHERE id = ?').run(state, id),
    close: () => database.close(),
  }
}

/** State of the data of a project. */
export type State = 'new' | 'running' | 'completed' | 'running again'

interface Row {
  id: string
  owner: string
  organization: string
  name: string
  sequence: number
  state: State
}

function asProject({ id, name, organization, sequence, state }: Row): ProjectRecord {
  const is = (...states: State[]) => states.includes(state)
  const [completed, running] = [is('completed', 'running again'), is('running', 'running again')]
  return { projectId: id, name, organization, sequence, completed, running }
}
