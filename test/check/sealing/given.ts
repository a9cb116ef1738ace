import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { output, run, scratchFolder } from '../../server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../server/package.js'
import { isEmbedded } from '../../server/stores.js'

/** The project whose tables and export are given. */
export const ID = PROJECT_IDS.early

/** Folders that commands read: `package`, `tables` of one project, and `exported` by `project export`. */
export interface Given {
  readonly path: string
  /** A running assessment of the project. */
  readonly assessment: string
  /** The only snapshot in `exported`. */
  readonly snapshot: string
  /** The name of a file in `exported`: that of a table, or of the entity ids. */
  exportedFile(table: string): Promise<string>
  /** A copy of a folder, changed. */
  changed(name: string, change: (folder: string) => Promise<unknown>): Promise<string>
  /** Runs a command that must be refused with this line, and leave no temporary file. */
  refuses(args: readonly string[], line: RegExp): Promise<void>
  /** Temporary files of commands in the default data folder. */
  leftovers(): Promise<string[]>
}

/** Gives the folders before the tests of a suite, and removes them after it. */
export function givenFolders(): Given {
  const scratch = scratchFolder()
  const at = (name: string) => join(scratch.path, name)
  let assessment = ''
  let snapshot = ''
  before(async function () {
    if (!isEmbedded || process.platform === 'win32') return this.skip()
    await writePackage(at('package'))
    await writeTables(at('tables'))
    await output(scratch.path, 'import', at('package'))
    await output(scratch.path, 'project', 'export', ID, at('exported'))
    assessment = await output(scratch.path, 'assessment', 'start', ID)
    snapshot = (await readdir(at(join('exported', 'snapshots', ID))))[0] ?? ''
  })
  const leftovers = () => readdir(at('foldgate-data/scratch'))
  return {
    get path() {
      return scratch.path
    },
    get assessment() {
      return assessment
    },
    get snapshot() {
      return snapshot
    },
    leftovers,
    async exportedFile(table) {
      const names = await readdir(at(join('exported', 'snapshots', ID, snapshot)))
      const found = names.find(name => (table === 'ids' ? name.endsWith('.ids') : name.startsWith(`${table}-`)))
      return found ?? assert.fail(`no file of ${table}`)
    },
    async changed(name, change) {
      const folder = await mkdtemp(at('changed-'))
      await cp(at(name), folder, { recursive: true })
      await change(folder)
      return folder
    },
    async refuses(args, line) {
      const { status, stdout, stderr } = await run(scratch.path, args)
      assert.deepEqual([status, stdout], [1, ''], stderr)
      assert.match(stderr, line)
      assert.deepEqual(await leftovers(), [])
    },
  }
}

/** The manifest of a snapshot, as far as tests change it. */
export type Manifest = Record<string, unknown> & {
  entities: Record<string, unknown>
  tables: Record<string, unknown>[]
}

/** Changes the manifest of a snapshot in a copy of `exported`, so that its digest is right. */
export async function rewriteManifest(folder: string, snapshot: string, change: (manifest: Manifest) => unknown) {
  const path = join(folder, 'snapshots', ID, snapshot, 'manifest.json')
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest
  change(manifest)
  await writeFile(path, JSON.stringify(manifest))
  const register = join(folder, 'project.json')
  const kept = await readFile(register, 'utf8')
  await writeFile(register, kept.replace(/("manifestSha256": ")[0-9a-f]+/, `$1${sha256(JSON.stringify(manifest))}`))
}

/** SHA-256, hex. */
export function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
