import { setTimeout } from 'node:timers/promises'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { fromRows, openSealer } from 'foldgate/sealing'
import { scriptArguments } from '../../script.js'

/** Seals rows that never end into a folder, says so, and waits to be killed. */
const [folder] = scriptArguments(import.meta.url, 'FOLDER')
const catalogue = defineCatalogue({ relations: [defineTable({ name: 'sites', columns: { site: 'INTEGER' } })] })
const sealer = await openSealer({ catalogue, snapshots: directorySnapshots(`${folder}/snapshots`), folder })
async function* rows() {
  yield { site: 1 }
  console.log('sealing')
  await setTimeout(600_000)
}
await sealer.seal({ projectId: '11111111-1111-4111-8111-111111111111', tables: { sites: fromRows(rows()) } })
