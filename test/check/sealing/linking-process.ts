import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import { directorySnapshots } from 'foldgate'
import { scriptArguments } from '../../script.js'
import { publishShared } from './linking.js'

/** Says how far it has come when it has linked a file, or is about to publish, and waits to be killed. */
function haltAt(moment: string): void {
  const { link, rename } = promises
  const halt = async () => {
    console.log(moment)
    await setTimeout(600_000)
  }
  const halting = {
    link: async (from: string, to: string) => {
      await link(from, to)
      if (moment === 'linked' && to.endsWith('~d.parquet')) await halt()
    },
    rename: async (from: string, to: string) => {
      const isFile = from.endsWith('.parquet')
      if (moment === 'moving' && !isFile) await halt()
      await rename(from, to)
      if (moment === 'replaced' && from.endsWith('~d.parquet')) await halt()
    },
  }
  Object.assign(promises, halting)
  syncBuiltinESMExports()
}

/** Publishes a number of snapshots, prunes or removes them until it is told to stop, or publishes up to a moment. */
const WORK = 'publish|prune|remove|linked|replaced|moving'
const [work, folder, projectId, count] = scriptArguments(import.meta.url, WORK, 'FOLDER', 'PROJECT', 'COUNT')
const snapshots = directorySnapshots(folder)
if (work === 'publish')
  for (let at = 0; at < Number(count); at++)
    console.log((await publishShared(snapshots, projectId, `${process.pid} ${at}`)).snapshotId)
else if (work === 'prune' || work === 'remove') {
  let isOver = false
  process.stdin.once('data', () => {
    isOver = true
  })
  console.log('begun')
  let removed = 0
  while (!isOver)
    removed += (await (work === 'prune' ? snapshots.prune(projectId, 1) : snapshots.remove(projectId))).length
  console.log(removed)
  process.exit()
} else {
  haltAt(work)
  await publishShared(snapshots, projectId, 'killed')
}
