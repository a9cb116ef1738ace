import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenEngine } from 'foldgate/engine'
import type { Check, ContractOptions } from '#contracts/contract.js'
import { newPoint } from './assessment.js'
import { Bench } from './bench.js'
import { BINDING } from './binding.js'
import { FILES } from './files.js'
import { ROWS } from './rows.js'
import { LIMITS_OF, RUNNING } from './running.js'
import { STATEMENTS } from './statements.js'

/** An engine to check. */
export interface EngineSubject {
  /** Opens the engine. Each check opens it once, and closes it. Two connections or more are enough. */
  open: OpenEngine
  /**
   * Folder where the checks put their snapshots, if the engine cannot read all of them. Default: a temporary
   * folder.
   */
  folder?: string
  /** Frees what the engine was given. Called after the check, when the engine is closed. */
  close?(): Promise<void> | void
}

/** Time after which a call of an engine counts as hanging, by default: it may have relations to build. */
const PATIENCE_MS = 30_000

/**
 * Returns the checks that an engine must pass. Each check makes its own subject with `makeSubject` when it
 * runs, and a small snapshot of a catalogue of its own. Its statements are SQL that engines have in common;
 * an engine whose SQL has other words cannot pass them.
 */
export function engineContract(
  makeSubject: () => EngineSubject | Promise<EngineSubject>,
  { patienceMs = PATIENCE_MS }: ContractOptions = {},
): Check[] {
  return Object.entries(CHECKS).map(([name, check]) => ({
    name,
    async run() {
      const subject = await makeSubject()
      const within = subject.folder ?? tmpdir()
      await mkdir(within, { recursive: true })
      const folder = await mkdtemp(join(within, 'foldgate-contract-'))
      try {
        const bench = new Bench(subject.open, folder, await newPoint(folder), LIMITS_OF[name] ?? {}, patienceMs)
        const checked = bench.answered('ready()', bench.engine.ready()).then(() => check(bench))
        await checked.finally(() => bench.engine.close().catch(() => {})) // there is a check of closing
      } finally {
        await subject.close?.()
        await rm(folder, { recursive: true, force: true })
      }
    },
  }))
}

const CHECKS: Record<string, (bench: Bench) => Promise<void>> = {
  ...STATEMENTS,
  ...ROWS,
  ...BINDING,
  ...FILES,
  ...RUNNING,
}
