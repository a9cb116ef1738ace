import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { interruptible, untilStopped } from '../cli/interrupt.js'
import { print } from '../cli/print.js'
import { codeOf } from '../database/dialect.js'
import { type Store, withControl } from '../database/store.js'
import { importPackage } from '../import/import-package.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { openLog } from '../operation/log.js'
import { type RunningServer, startServer } from '../serving/start.js'
import { readConfig } from '../settings/config.js'
import { isReference, loadCatalogue } from '../settings/load-catalogue.js'
import { type DataFolder, openDataFolder } from '../snapshots/data-folder.js'
import { createKey, listKeys, revokeKey } from '../store/keys.js'
import { listOrganizations } from '../store/organizations.js'
import { setPassword } from '../store/sessions.js'
import { addUser, grantOrganizations, listUsers } from '../store/users.js'
import { isOfOneProject, sealOwnFolder } from './own-folder.js'
import { LAST_FILE, writeMadeUpPackage } from './package.js'
import { takeTour } from './tour.js'

/** How the demonstration runs. */
export interface DemoOptions {
  /** Package to import, or folder with the tables of one project. Default: a generated package of fictional companies. */
  from?: string
  /** Module of the catalogue. Default: the reference catalogue, which alone has a generated package. */
  catalogue: string | null
  dataFolder: string
  port: number
  /** Stop after the calls. */
  once: boolean
  json: boolean
}

/** What a user needs to continue by hand. */
interface Access {
  email: string
  password: string
  key: string
}

const EMAIL = 'demo@foldgate.example'
const KEY_NAME = 'demo'
const NOTICE_FILE = 'NOTICE.txt'

/**
 * Prepares the data folder, serves it, calls every method as a client would, and serves until stopped. Throws
 * a Refusal when Ctrl-C or SIGTERM comes before the calls have ended; the next run then continues.
 */
export async function runDemo(options: DemoOptions): Promise<void> {
  const say = (text: string) => {
    if (!options.json) process.stdout.write(`${text}\n`)
  }
  const stopped = untilStopped()
  const { from, catalogue: module } = options
  const catalogue = await loadCatalogue(module)
  if (from === undefined && !isReference(catalogue))
    throw new Refusal(
      'The generated package is for the reference catalogue: name the folder with your tables, with --from',
    )
  const data = await openDataFolder(options.dataFolder, { catalogue })
  let server: RunningServer | undefined
  try {
    await interruptible(async signal => {
      await prepare(data, from, { say, signal })
      signal.throwIfAborted()
      server = await startServer(
        readConfig(
          {
            data: options.dataFolder,
            port: String(options.port),
            ...(module === null ? {} : { catalogue: module }),
          },
          {},
        ),
        openLog('warn'),
      )
      signal.throwIfAborted()
      // Only once this process has locked the folder: otherwise the credentials of
      // another running demo would end.
      const access = await withControl(data, admit)
      const { url } = server
      say(`\nFoldgate answers at ${url}`)
      const tour = await takeTour(url, access.key, { say, signal })
      const queries = `${url}/explore#${new URLSearchParams({ project: tour.projectId, key: access.key })}`
      const report = { url, explore: queries, ...access, folder: data.name, ...tour }
      print({ json: options.json }, report, handOver({ url, queries }, access, data.name))
    })
    if (options.once) return
    say('\nIt stays up until Ctrl-C.')
    await stopped
  } finally {
    await server?.close()
  }
}

/** The link to the query page has the key in its fragment, which browsers do not send to any server. */
function handOver(
  { url, queries }: { url: string; queries: string },
  { email, password, key }: Access,
  folder: string,
): string {
  return `
Address  ${url}
Queries  ${queries}
Login    ${email}  ${password}
Key      ${key}
Folder   ${folder}

  curl -s ${url}/public/v1/api/projects/list -X POST -H "Authorization: Bearer ${key}"
  npx foldgate key list --data ${shellWord(folder)}

Other commands work on the folder with --data too. To start again from nothing, remove it.`
}

function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** What the steps of the preparation share. */
interface Progress {
  say(text: string): void
  signal: AbortSignal
}

async function prepare(data: DataFolder, from: string | undefined, { say, signal }: Progress): Promise<void> {
  if (from !== undefined && (await isOfOneProject(from, data))) {
    say('Sealing the tables of the folder.')
    return withControl(data, store => sealOwnFolder(store, data, { source: from, signal }))
  }
  const folder = from ?? (await madeUpPackage(data, { say, signal }))
  if (existsSync(join(folder, NOTICE_FILE)))
    say(
      `The package has a ${NOTICE_FILE}: sources, licences, and what in it is an estimate. Read it before you pass numbers on.`,
    )
  say(`Importing ${from === undefined ? 'it' : 'the package'}:`)
  await withControl(data, store =>
    importPackage(store, { data, signal }, folder, ({ index, total, project, outcome }) => {
      if (outcome) say(`  [${index}/${total}] ${project}: ${outcome}`)
    }),
  )
}

async function madeUpPackage(data: DataFolder, { say, signal }: Progress): Promise<string> {
  const folder = join(data.scratch, '..', 'made-up')
  say(
    'The companies, sites, shares and risks of this demonstration are made up; factors come from published figures.',
  )
  if (existsSync(join(folder, LAST_FILE))) return folder
  try {
    await writeMadeUpPackage(folder, signal)
  } catch (cause) {
    signal.throwIfAborted()
    throw new Refusal(
      `The package cannot be written to ${quoted(join(data.name, 'made-up'))} (${codeOf(cause)}): free some room there, or ` +
        'name another folder with --data',
      { cause },
    )
  }
  return folder
}

/**
 * Creates or updates a user who reads everything, with a new password and one
 * new key; revokes older demo keys.
 */
async function admit(store: Store): Promise<Access> {
  const organizations = (await listOrganizations(store)).map(organization => organization.key)
  const known = (await listUsers(store)).some(user => user.email === EMAIL)
  if (known) await grantOrganizations(store, EMAIL, organizations)
  else await addUser(store, { email: EMAIL, organizations })
  const password = randomBytes(9).toString('base64url')
  await setPassword(store, EMAIL, password)
  for (const old of await listKeys(store))
    if (old.user === EMAIL && old.name === KEY_NAME) await revokeKey(store, old.id)
  const { key } = await createKey(store, { user: EMAIL, organizations, name: KEY_NAME })
  return { email: EMAIL, password, key }
}
