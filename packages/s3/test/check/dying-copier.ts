import { setTimeout } from 'node:timers/promises'
import { scriptArguments } from '../../../../test/script.js'
import { MemoryStore } from './memory-store.js'

/** Begins to copy a snapshot of a table to a folder, says so, and never ends. */
const [folder, most, bytes] = scriptArguments(import.meta.url, 'FOLDER', 'MOST', 'BYTES')
const store = new MemoryStore()
const { projectId, snapshotId } = store.put({ large: Number(bytes) })
store.before = async request => {
  if (!request.endsWith('large.parquet')) return
  console.log('copying')
  await setTimeout(600_000)
}
void store.open(folder, Number(most)).open(projectId, snapshotId, new AbortController().signal)
