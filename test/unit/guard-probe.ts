import assert from 'node:assert/strict'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AnalyticsError } from 'foldgate'
import { type Guard, openGuard } from '#lib/duckdb/guard.js'
import type { Asker, Statement } from '#lib/engine/port.js'
import { openSandbox } from '#lib/sandbox/sandbox.js'
import { catalogue } from '../service/catalogue.js'

/** The details of a refusal. */
export interface Refused {
  message: string
  rule: string
  name?: string
  line?: number
  column?: number
  hint?: string
}

/** Script of the guard's process. */
export const GUARD = new URL(import.meta.resolve('#lib/duckdb/child/guard-main.js'))
/** Longer than any suite takes. */
export const WAIT_MS = 300_000

/** A guard over the relations of the test catalogue; each suite opens its own. */
export class GuardProbe {
  folder = ''
  guard!: Guard
  readonly asker: Asker = { organization: 'north', ownerId: 'ada', signal: new AbortController().signal }

  async open({ functions = [] }: { functions?: Iterable<string> } = {}): Promise<void> {
    this.folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-guard-')))
    this.guard = openGuard({
      script: GUARD,
      relations: catalogue.relations.keys(),
      functions,
      folder: this.folder,
      sandbox: await openSandbox(),
      waitMs: WAIT_MS,
    })
    await this.guard.ready()
  }

  async close(): Promise<void> {
    await this.guard.close()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** The guard's verdict; any outcome other than a pass or a refusal fails the test. */
  async verdict(sql: string): Promise<Statement | Refused> {
    try {
      return await this.guard.check(sql, this.asker)
    } catch (cause) {
      assert.ok(cause instanceof AnalyticsError && cause.class === 'INVALID_QUERY', String(cause))
      return { message: cause.message, ...(cause.data as Omit<Refused, 'message'>) }
    }
  }

  async refused(sql: string): Promise<Refused> {
    const found = await this.verdict(sql)
    assert.ok('rule' in found, `passed: ${sql}`)
    return found
  }

  async passed(sql: string): Promise<Statement> {
    const found = await this.verdict(sql)
    assert.ok('sql' in found, `${sql}: ${JSON.stringify(found)}`)
    return found
  }
}
