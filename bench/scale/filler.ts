import { ask } from '../../test/server/stores.js'

/** How large a service is. */
export interface Size {
  organizations: number
  projects: number
  keys: number
}

/** What a service has that is called: organizations `organization-0` and so on, and all keys of one user. */
export interface Called extends Size {
  owner: string
  /** Key of an object with a manifest, and the names of the files of that snapshot. */
  manifest: string
  files: readonly string[]
}

const KEYS_OF_USER = 100
const DAY_MS = 86_400_000
const DAYS = 10

/** The objects of the snapshots of projects that nobody calls, one each: their manifests and files. */
export class Filler {
  readonly count: number
  readonly #projects: number
  readonly #manifest: string
  readonly #files: readonly string[]

  constructor({ projects }: Size, called: Called) {
    this.#projects = projects - called.projects
    this.#manifest = called.manifest
    this.#files = [...called.files].sort()
    this.count = this.#projects * (this.#files.length + 1)
  }

  /** The key at this place in the order of all. */
  keyAt(place: number): string {
    if (place < this.#projects) return manifestOf(place)
    const files = this.#files.length
    const at = place - this.#projects
    return `tables/${projectOf(Math.floor(at / files))}/${this.#files[at % files]}`
  }

  /** The content of a manifest, made of the real one; undefined for anything else. */
  read(key: string, real: (key: string) => Buffer | undefined): Buffer | undefined {
    const at = Number.parseInt(/^snapshots\/00000000-0000-4000-8000-(\w{12})\//.exec(key)?.[1] ?? '', 16)
    if (!(at < this.#projects) || key !== manifestOf(at)) return undefined
    const contents = JSON.parse(real(this.#manifest)?.toString() ?? '{}') as object
    return Buffer.from(JSON.stringify({ ...contents, projectId: projectOf(at), snapshotId: `000001-${uuidOf(at)}` }))
  }
}

const hex = (at: number) => at.toString(16).padStart(12, '0')
const projectOf = (at: number) => `00000000-0000-4000-8000-${hex(at)}`
const uuidOf = (at: number) => `00000000-0000-4000-9000-${hex(at)}`
const manifestOf = (at: number) => `snapshots/${projectOf(at)}/000001.json`

/**
 * Adds what a service of this size has besides what is called: organizations, users with a hundred keys, projects with
 * a snapshot each, usage of ten days for every tenth key, and the quota windows of all keys.
 */
export async function fillStore(url: string, size: Size, called: Called): Promise<void> {
  const schema = /search_path=(\w+)/.exec(decodeURIComponent(url))?.[1] ?? ''
  const now = Date.now()
  const keys = size.keys - called.keys
  const projects = size.projects - called.projects
  const organization = (at: string) =>
    `case when ${at} < ${called.organizations} then 'organization-' else 'filler-' end || ${at}`
  // Every organization has as many projects.
  const each = size.projects / size.organizations
  const own = called.organizations * each - called.projects
  const others = `${called.organizations} + (n - ${own}) / ${each}`
  const ofProject = `case when n < ${own} then n % ${called.organizations} else ${others} end`
  const project = `'00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0')`
  const keyId = `'00000000-0000-4000-a000-' || lpad(to_hex(n), 12, '0')`
  const from = (count: number) => `from generate_series(0, ${count - 1}) as series (n)`
  const owner = `(select id from users where email = '${called.owner}')`
  const today = (days: string) =>
    `to_char(to_timestamp(${now / 1000}) at time zone 'utc' - make_interval(days => ${days}), 'YYYY-MM-DD')`
  const usage = (id: string, what: string) => `
    insert into usage (key_id, day, method, outcome, calls, rows, bytes, last_at)
      select ${id}, ${today('d')}, 'projects/query', 'OK', 50, 5000, 100000, ${now} - d * ${DAY_MS}
      ${what}, generate_series(1, ${DAYS}) as days (d)`
  await ask(`
    set search_path = ${schema};
    set session_replication_role = replica;
    insert into organizations (key, name, created_at)
      select ${organization('n')}, 'Filler ' || n, ${now} ${from(size.organizations)} on conflict do nothing;
    insert into users (id, email, password_hash, created_at)
      select 'filler-' || n, 'filler-' || n || '@example.org', null, ${now} ${from(keys / KEYS_OF_USER)};
    insert into memberships (user_id, organization_key)
      select 'filler-' || n, ${organization(`(n % ${size.organizations})`)} ${from(keys / KEYS_OF_USER)};
    insert into keys (id, user_id, name, hash, created_at, expires_at, revoked_at)
      select ${keyId}, 'filler-' || n / ${KEYS_OF_USER}, 'Key ' || n, md5('a' || n) || md5('b' || n), ${now}, null,
        case when n % 5 = 0 then ${now - DAY_MS} end ${from(keys)};
    insert into key_organizations (key_id, organization_key)
      select ${keyId}, ${organization(`((n / ${KEYS_OF_USER}) % ${size.organizations})`)} ${from(keys)};
    insert into projects (id, organization_key, name, created_at)
      select ${project}, ${organization(`(${ofProject})`)}, 'Project ' || n, ${now} ${from(projects)};
    insert into assessments (id, project_id, state, started_at, ended_at)
      select 'assessment-' || n, ${project}, 'completed', ${now}, ${now} ${from(projects)};
    insert into newest_snapshots (project_id, snapshot_id)
      select ${project}, '000001-00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0') ${from(projects)};
    insert into call_windows (level, id, started_at, taken) select 'key', ${keyId}, ${now - DAY_MS}, 5 ${from(keys)};
    ${usage(keyId, `from generate_series(0, ${keys - 1}, 10) as series (n)`)};
    ${usage('keys.id', 'from keys')} where user_id = ${owner};
    reset session_replication_role`)
  await ask(`set search_path = ${schema}; analyze`)
}
