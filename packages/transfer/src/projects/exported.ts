import { realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import {
  isSnapshotId,
  parseManifest,
  readManifest,
  readRegular,
  UnusableFile,
  verifyFolder,
} from 'foldgate/internal'
import type { SnapshotManifest } from 'foldgate/sealing'
import {
  type Assessment,
  type AssessmentState,
  checkName,
  checkOrganizationKey,
  checkProjectId,
  digestOf,
  formatInstant,
  parseInstant,
  quoted,
  Refusal,
} from 'foldgate-server/parts'
import { wrongFields } from './manifest-fields.js'

/** The version of the folders that this version writes and reads. */
const FORMAT_VERSION = 1
const REGISTER = 'project.json'
const MOST_BYTES = 64 * 1024 ** 2
const STATES: readonly AssessmentState[] = ['running', 'completed', 'failed']

/**
 * A project in a folder of its own: `project.json`, and its snapshots below `snapshots`, as in a data folder.
 */
export interface ExportedProject {
  organization: { key: string; name: string }
  /** `createdAt` is in epoch milliseconds. */
  project: { id: string; name: string; createdAt: number }
  assessments: Omit<Assessment, 'projectId'>[]
  /** Oldest first. */
  snapshots: SnapshotManifest[]
}

/** Folder of the snapshots of an exported project. */
export function snapshotsOf(folder: string): string {
  return join(folder, 'snapshots')
}

/** Formats `project.json`; `digests` are the SHA-256 of the manifests by snapshot id. */
export function writeRegister(exported: ExportedProject, digests: ReadonlyMap<string, string>): string {
  const { organization, project, assessments, snapshots } = exported
  const register = {
    formatVersion: FORMAT_VERSION,
    organization,
    project: { ...project, createdAt: formatInstant(project.createdAt) },
    assessments: assessments.map(({ id, state, startedAt, endedAt }) => ({
      id,
      state,
      startedAt: formatInstant(startedAt),
      endedAt: endedAt === null ? null : formatInstant(endedAt),
    })),
    snapshots: snapshots.map(({ snapshotId: id }) => ({ id, manifestSha256: digests.get(id) })),
  }
  return `${JSON.stringify(register, null, 2)}\n`
}

/**
 * Reads an exported project, and checks every file in it against its digest. Throws a Refusal that names what
 * is missing or changed.
 */
export async function readExported(folder: string, signal: AbortSignal): Promise<ExportedProject> {
  if (!(await stat(join(folder, REGISTER)).catch(() => null)))
    throw new Refusal(
      `The folder ${quoted(folder)} has no ${REGISTER}: name one that "foldgate project export" wrote`,
    )
  try {
    return await read(folder, signal)
  } catch (cause) {
    if (signal.aborted) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Refusal(
      `The exported project in ${quoted(folder)} is damaged, and nothing was imported: ${why}. Export it again`,
      { cause },
    )
  }
}

async function read(folder: string, signal: AbortSignal): Promise<ExportedProject> {
  const bytes = await readRegular(join(folder, REGISTER), MOST_BYTES).catch(cause => {
    throw cause instanceof UnusableFile ? new Error(cause.about(REGISTER)) : cause
  })
  const register = new Members(JSON.parse(bytes.toString()), REGISTER)
  const version = register.value('formatVersion')
  if (version !== FORMAT_VERSION)
    throw new Error(`this version of foldgate does not read its format ${version}`)
  const [organization, project] = [register.within('organization'), register.within('project')]
  const id = checkProjectId(project.text('id'))
  const snapshots: SnapshotManifest[] = []
  for (const listed of register.list('snapshots'))
    snapshots.push(
      await readSnapshot(
        folder,
        id,
        { id: listed.text('id'), sha256: listed.text('manifestSha256') },
        signal,
      ),
    )
  const assessments = register.list('assessments').map(each => ({
    id: checkProjectId(each.text('id')),
    state: stateOf(each.text('state')),
    startedAt: each.instant('startedAt'),
    endedAt: each.value('endedAt') === null ? null : each.instant('endedAt'),
  }))
  if (assessments.filter(({ state }) => state === 'running').length > 1)
    throw new Error('more than one of its assessments is running')
  return {
    organization: {
      key: checkOrganizationKey(organization.text('key')),
      name: checkName(organization.text('name'), 'organization'),
    },
    project: {
      id,
      name: checkName(project.text('name'), 'project'),
      createdAt: project.instant('createdAt'),
    },
    assessments,
    snapshots,
  }
}

/** Reads the manifest of a snapshot whose files are as they were sealed. */
async function readSnapshot(
  folder: string,
  projectId: string,
  listed: { id: string; sha256: string },
  signal: AbortSignal,
): Promise<SnapshotManifest> {
  signal.throwIfAborted()
  const { id } = listed
  const place = isSnapshotId(id) ? await folderWithin(folder, join('snapshots', projectId, id)) : null
  const missing = new Error(`the snapshot ${quoted(id)} is missing`)
  if (place === null) throw missing
  const text = await readManifest(place).catch(cause => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw missing
    throw cause
  })
  const manifest = parseManifest(text)
  if (manifest === null) throw new Error(`the snapshot ${id} is in a format of another version`)
  if (digestOf(text) !== listed.sha256)
    throw new Error(`the manifest.json of the snapshot ${id} is not as it was exported`)
  const [wrong] = wrongFields(manifest)
  if (wrong !== undefined) throw new Error(`in the manifest.json of the snapshot ${id}, ${wrong}`)
  const [problem] = await verifyFolder(place, { projectId, snapshotId: id }, signal)
  if (problem !== undefined) throw new Error(`in the snapshot ${id}, ${problem}`)
  return manifest
}

/**
 * The path of a folder below another one, links resolved; null when it is
 * missing. Throws when a link leads out.
 */
async function folderWithin(folder: string, name: string): Promise<string | null> {
  const root = await realpath(folder)
  const place = await realpath(join(root, name)).catch(() => null)
  if (place === null || place.startsWith(`${root}${sep}`)) return place
  throw new Error(`${name} is a link that leads out of the folder: put the folder itself in its place`)
}

function stateOf(text: string): AssessmentState {
  const state = STATES.find(each => each === text)
  if (state) return state
  throw new Error(`${quoted(text)} is not the state of an assessment`)
}

/** The members of a JSON object, which throw when they are not of the expected type. */
class Members {
  readonly #members: Record<string, unknown>
  readonly #place: string

  constructor(value: unknown, place: string) {
    if (value === null || typeof value !== 'object') throw new Error(`${place} is not an object`)
    this.#members = value as Record<string, unknown>
    this.#place = place
  }

  value(name: string): unknown {
    return this.#members[name]
  }

  text(name: string): string {
    const value = this.value(name)
    if (typeof value === 'string') return value
    throw new Error(`${this.#place} has no ${name}`)
  }

  instant(name: string): number {
    const instant = parseInstant(this.text(name))
    if (instant !== null) return instant
    throw new Error(`${this.#place} has no instant in ${name}`)
  }

  within(name: string): Members {
    return new Members(this.value(name), `${this.#place}, ${name},`)
  }

  list(name: string): Members[] {
    const value = this.value(name)
    if (!Array.isArray(value)) throw new Error(`${this.#place} has no list of ${name}`)
    return value.map(each => new Members(each, `${this.#place}, ${name},`))
  }
}
