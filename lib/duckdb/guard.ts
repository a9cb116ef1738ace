import { hash } from 'node:crypto'
import type { Catalogue } from '../catalogue/catalogue.js'
import type { KnownRelation } from '../engine/claim.js'
import type { Asker, Statement } from '../engine/port.js'
import { AnalyticsError } from '../errors.js'
import { Queue, type Waiting } from '../flow/queue.js'
import { RecentMap } from '../flow/recent.js'
import { waitForWork } from '../flow/waiting.js'
import { shapeOf } from '../guard/shape.js'
import type { Verdict } from '../guard/verdict.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { GuardProcesses, type UncheckedStatement } from './guard-process.js'

/** Checks statements in processes of its own. */
export interface Guard {
  /**
   * Throws INVALID_QUERY for a refused statement, with a hint where one is known, and UNAVAILABLE when the
   * statement waits longer than `waitMs` for its turn, or the process cannot take it.
   */
  check(sql: string, asker: Asker): Promise<Statement>
  ready(): Promise<void>
  /** Whether the process answers within `withinMs`, or is checking a statement, which a deadline ends. */
  answers(withinMs: number): Promise<boolean>
  close(): Promise<void>
}

/** Options of {@link openGuard}. */
interface GuardOptions {
  /** Script of the process, see `child/guard-main.ts`. */
  script: URL
  /** Names of the relations that statements may read. */
  relations: Iterable<string>
  /** Functions that statements may call besides those that are there by default. Default: none. */
  functions?: Iterable<string>
  /** What the catalogue says of them: columns that are reserved words are told, and what claims need. Default: nothing. */
  described?: readonly KnownRelation[]
  /** Folder in which the process has its own. */
  folder: string
  /** The walls that the process runs behind. */
  sandbox: Sandbox
  /** How long a statement may wait in the queue, and then for the process to start. */
  waitMs: number
  /** Called with the cause when a check fails for a reason other than the statement. */
  onDown?: (cause: unknown) => void
  /** Called with what happened when others have ended a process. */
  onDied?: (detail: string) => void
}

const CACHED_VERDICTS = 4_096
/**
 * Most statements that are checked together: while no other organization waits, and while one does, whose turn comes
 * after few of them.
 */
const [MOST_TOGETHER, MOST_IN_TURN] = [16, 2]
/** Their most characters. */
const MOST_CHARACTERS = 64 * 1024

/** A statement that waits to be checked, together with others of its organization unless it `isAlone`. */
interface WaitingStatement extends Waiting, UncheckedStatement, Keys {
  isAlone: boolean
}

/** The keys under which the verdict on a statement may be kept. */
interface Keys {
  key: string
  /** That of all statements of its shape; null where it has none. */
  shapeKey: string | null
}

/**
 * Statements that are checked by one job: of one organization, so that the parser never holds those of two at once.
 */
class StatementBatch {
  readonly #most: number
  readonly asked = new Map<string, WaitingStatement>()
  /** By key; null when the process ended, which one of several statements has caused. */
  verdicts: Promise<ReadonlyMap<string, Verdict> | null> = Promise.resolve(null)
  #characters = 0

  constructor(most: number) {
    this.#most = most
  }

  takes({ group, sql, isAlone }: WaitingStatement): boolean {
    const [first] = this.asked.values()
    if (!first) return true
    return (
      group === first.group &&
      !isAlone &&
      !first.isAlone &&
      this.asked.size < this.#most &&
      this.#characters + sql.length <= MOST_CHARACTERS
    )
  }

  add(asked: WaitingStatement): this {
    this.asked.set(asked.key, asked)
    this.#characters += asked.sql.length
    return this
  }
}

/** What a catalogue says of the relations that callers see. */
export function describedRelations({ summaries, relations }: Catalogue): KnownRelation[] {
  return summaries.flatMap(({ name }) => {
    const relation = relations.get(name)
    if (!relation) return []
    const { columns = null, unique, meanings } = relation
    const units: Record<string, string> = {}
    const additive: Record<string, readonly string[]> = {}
    for (const [column, meaning] of Object.entries(meanings)) {
      if (typeof meaning.unit === 'object') units[column] = meaning.unit.column
      if (meaning.additive !== undefined)
        additive[column] = meaning.additive === false ? [] : meaning.additive.over
    }
    const ordered = Object.keys(meanings).filter(column => meanings[column]?.order !== undefined)
    return [{ name, columns, unique, units, additive, ordered }]
  })
}

/** Starts the guard's process. */
export function openGuard({
  script,
  relations,
  functions = [],
  described = [],
  folder,
  sandbox,
  waitMs,
  onDown = () => {},
  onDied = () => {},
}: GuardOptions): Guard {
  const settings = { relations: [...relations], functions: [...functions], described }
  const verdicts = new RecentMap<string, Verdict>(CACHED_VERDICTS)
  const queue = new Queue<WaitingStatement, StatementBatch>()

  /** Starts jobs with the statements of the organizations whose turn it is. */
  const next = () => {
    const batch = new StatementBatch(queue.groups > 1 ? MOST_IN_TURN : MOST_TOGETHER)
    while (
      queue.startNext(
        asked => processes.admits(asked.group) && batch.takes(asked),
        asked => batch.add(asked),
      )
    );
    const [first] = batch.asked.values()
    if (!first) return
    batch.verdicts = answer(first.group, [...batch.asked.values()])
    batch.verdicts.catch(cause => {
      if (!processes.isClosed) onDown(cause)
    })
    next()
  }
  // A process runs one job at a time: a statement that ends it fails no check but its own.
  const processes = new GuardProcesses({ script, settings, folder, sandbox, waitMs, onDown, onDied }, next)

  const knownVerdict = ({ key, shapeKey }: Keys) =>
    verdicts.get(key) ?? (shapeKey === null ? undefined : verdicts.get(shapeKey))

  /** Verdicts by key. Another call may have had the same statement checked meanwhile. */
  const answer = async (
    organization: string,
    asked: readonly WaitingStatement[],
  ): Promise<ReadonlyMap<string, Verdict> | null> => {
    const found = new Map<string, Verdict>()
    const unknown = asked.filter(waiting => {
      const verdict = knownVerdict(waiting)
      if (verdict) found.set(waiting.key, verdict)
      return !verdict
    })
    const told = unknown.length > 0 ? await processes.check(organization, unknown) : []
    for (const [index, verdict] of told?.entries() ?? []) {
      const { key, shapeKey } = unknown[index] as WaitingStatement
      found.set(key, verdict)
      verdicts.set(verdict.ok && verdict.anyNumbers && shapeKey !== null ? shapeKey : key, verdict)
    }
    return told && found
  }

  const verdictOf = async (
    keys: Keys,
    sql: string,
    { organization, ownerId, signal, readable }: Asker,
  ): Promise<Verdict> => {
    for (let isAlone = false; ; isAlone = true) {
      const waiting = { group: organization, subgroup: ownerId, signal, ms: waitMs }
      const batch = await queue
        .join({ ...waiting, ...keys, sql, ...(readable ? { readable } : {}), isAlone }, next)
        .catch(unavailable('Too many statements wait to be read.'))
      const found = await waitForWork({ signal }, batch.verdicts).catch(
        unavailable('The service cannot read statements now.'),
      )
      const verdict = found?.get(keys.key)
      if (verdict) return verdict
    }
  }

  return {
    async check(sql, asker) {
      // By organization, since the time of an answer would tell whether another one has sent the statement.
      // Hash UTF-16 units: in UTF-8, half a surrogate pair would hash like U+FFFD.
      const keyOf = (kind: string, text: string) => {
        const asked = `${JSON.stringify([kind, asker.organization, asker.readable])}\0${text}`
        return hash('sha256', Buffer.from(asked, 'utf16le'), 'base64')
      }
      const shape = shapeOf(sql)
      const keys = { key: keyOf('text', sql), shapeKey: shape === null ? null : keyOf('shape', shape) }
      const verdict = knownVerdict(keys) ?? (await verdictOf(keys, sql, asker))
      if (!verdict.ok) throw refusal(verdict)
      return {
        sql: sql.slice(0, verdict.length),
        relations: verdict.relations,
        parameters: verdict.parameters,
        volatile: verdict.volatile,
        claims: verdict.claims,
      }
    },
    ready: () => processes.ready,
    answers: withinMs => processes.answers(withinMs),
    close: () => processes.close(),
  }
}

/** Takes the cause of a check that failed. */
function unavailable(what: string): (cause: unknown) => never {
  return cause => {
    throw new AnalyticsError('UNAVAILABLE', `${what} Try again later.`, { cause })
  }
}

function refusal(verdict: Extract<Verdict, { ok: false }>): AnalyticsError {
  const { ok: _, message, ...data } = verdict
  const place = data.line === undefined ? '' : ` (line ${data.line}, column ${data.column})`
  const text = `${message.replace(/\.$/, '')}${place}.${data.hint ? ` ${data.hint}` : ''}`
  return new AnalyticsError('INVALID_QUERY', text, { data })
}
