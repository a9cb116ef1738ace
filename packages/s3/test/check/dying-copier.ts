import { setTimeout } from 'node:timers/promises'
import { Copies } from 'foldgate/internal'
import { scriptArguments } from '../../../../test/script.js'
import { gated, MemoryObjects } from '../../../../test/unit/objects/memory.js'
import { PROJECT, put } from './copied-files.js'

/** Copies a file to a folder, begins to copy another one, says so, and never ends. */
const [folder, bytes] = scriptArguments(import.meta.url, 'FOLDER', 'BYTES')
const objects = new MemoryObjects()
const [done, copying] = await put(objects, { done: Number(bytes), copying: Number(bytes) })
const store = gated(objects, async (moment, request) => {
  if (moment === 'before' || !request.endsWith(copying?.file ?? '')) return
  console.log('copying')
  await setTimeout(600_000)
})
const copies = new Copies(store, { folder, bytes: 1e9 })
const { signal } = new AbortController()
for (const file of [done, copying]) if (file) await copies.lease(PROJECT, [file], signal)
