import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duckdbEngine } from 'foldgate'
import type { EngineSubject } from '../engine/engine.js'

/** The library's own engine. */
export async function duckdbSubject(): Promise<EngineSubject> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-contract-'))
  return { open: duckdbEngine({ folder, connections: 2 }), close: () => rm(folder, { recursive: true }) }
}
