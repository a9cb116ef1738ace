import { randomBytes } from 'node:crypto'
import { interruptible, untilStopped } from '../cli/interrupt.js'
import { print } from '../cli/print.js'
import { type Store, withControl } from '../database/store.js'
import { additions } from '../input/installed.js'
import { Refusal } from '../input/refusal.js'
import { openLog } from '../operation/log.js'
import type { PageAddition } from '../pages/routing.js'
import { type RunningServer, startServer } from '../serving/start.js'
import { readConfig } from '../settings/config.js'
import { isReference, loadCatalogue } from '../settings/load-catalogue.js'
import { openDataFolder } from '../snapshots/data-folder.js'
import { createKey, listKeys, revokeKey } from '../store/keys.js'
import { listOrganizations } from '../store/organizations.js'
import { setPassword } from '../store/sessions.js'
import { addUser, grantOrganizations, listUsers } from '../store/users.js'
import { fill } from './fill.js'
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
interface DemoLogin {
  email: string
  password: string
  key: string
}

const EMAIL = 'demo@foldgate.example'
const KEY_NAME = 'demo'

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
      await fill(data, from, { say, signal })
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
      const [path] = (await additions<PageAddition>()).flatMap(
        ({ opening }) => opening?.(tour.projectId, access.key) ?? [],
      )
      const queries = path === undefined ? null : url + path
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

function handOver(
  { url, queries }: { url: string; queries: string | null },
  { email, password, key }: DemoLogin,
  folder: string,
): string {
  return `
Address  ${url}${queries === null ? '' : `\nQueries  ${queries}`}
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

/**
 * Creates or updates a user who reads everything, with a new password and one
 * new key; revokes older demo keys.
 */
async function admit(store: Store): Promise<DemoLogin> {
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
