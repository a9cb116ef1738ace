import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Engine, EngineFailure, type FailureKind, Phases, type WrittenChunk } from 'foldgate/engine'
import type { ExportedFile } from 'foldgate/internal'
import type { EngineSubject } from '../../engine/engine.js'
import { wrong, wrongLimits } from './engines.js'
import type { Wrong } from './wrong.js'

const LINES = 'writes the rows of a range as lines'
const BEFORE = 'leaves out the rows of earlier pages, each as often as they have it'
const EXPORTS = 'exports every row to NDJSON, CSV and Parquet'
const STOPS = 'stops a file larger than exportBytes, and leaves nothing behind'
const WHY = 'says why a statement fails on its rows'
const TIME = 'ends a statement at its time limit'
const LEFT = 'ends a statement whose caller has left, and goes on'
const GONE = 'is unavailable for a snapshot that is gone or damaged'
const LOAD = 'reports its load'
const CLOSED = 'ends what runs when it is closed, and takes no more'

const wrongChunk = (what: string, says: RegExp, spoilt: (chunk: WrittenChunk) => unknown) =>
  wrong(LINES, what, says, ({ write }) => ({
    async write(...given) {
      const chunk = await write(...given)
      return { ...chunk, ...((await spoilt(chunk)) as Partial<WrittenChunk>) }
    },
  }))

const wrongFile = (check: string, what: string, says: RegExp, spoilt: (file: ExportedFile) => unknown) =>
  wrong(check, what, says, engine => ({
    async export(...given) {
      const file = await engine.export(...given)
      return { ...file, ...((await spoilt(file)) as Partial<ExportedFile>) }
    },
  }))

/** An engine whose failures of one kind are others. */
const wrongFailure = (
  check: string,
  what: string,
  says: RegExp,
  [from, to]: [from: FailureKind, to: FailureKind],
  text?: (message: string) => string,
) =>
  wrong(check, what, says, engine => {
    const failing = <Value>(call: Promise<Value>) =>
      call.catch(cause => {
        if (!(cause instanceof EngineFailure) || cause.kind !== from) throw cause
        throw new EngineFailure(to, text ? text(cause.message) : cause.message)
      })
    return {
      rows: (...given) => failing(engine.rows(...given)),
      write: (...given) => failing(engine.write(...given)),
      export: (...given) => failing(engine.export(...given)),
    }
  })

/** An engine that runs statements with other work. */
const wrongWork = (check: string, what: string, says: RegExp, spoilt: Partial<Parameters<Engine['rows']>[3]>) =>
  wrong(check, what, says, ({ rows }) => ({
    rows: (point, checked, range, work) => rows(point, checked, range, { ...work, ...spoilt }),
  }))

export const wrongAtWork: Wrong<EngineSubject>[] = [
  wrong('answers the same call twice at once', 'takes one call at a time', /rejected with .*: busy;/, ({ rows }) => {
    let busy = false
    return {
      async rows(...given) {
        if (busy) throw new EngineFailure('fault', 'busy')
        busy = true
        return rows(...given).finally(() => {
          busy = false
        })
      },
    }
  }),
  wrongWork('records the time of a statement', 'records none', /added undefined ms/, { phases: new Phases() }),
  wrong('releases every snapshot that it has opened', 'keeps them', /1 leases were never released/, ({ rows }) => ({
    rows(point, ...given) {
      const { snapshot } = point
      const open = async (files: readonly string[]) => ({ ...(await snapshot.open(files)), release: async () => {} })
      return rows({ ...point, snapshot: { ...snapshot, open } }, ...given)
    },
  })),
  wrongChunk('leaves the last line open', /a last line without an end|reported \d+ of/, async ({ path, bytes }) => {
    if (bytes > 0) await truncate(path, bytes - 1)
    return { bytes: Math.max(0, bytes - 1) }
  }),
  wrongChunk('reports a wrong size', /reported \d+ of \d+ bytes/, ({ bytes }) => ({ bytes: bytes + 1 })),
  wrongChunk('always tells of more', /more of .* answered true/, () => ({ more: true })),
  wrong(LINES, 'begins at the first row', /from 1990, at most 20, answered/, ({ write }) => ({
    write: (point, checked, range, work) => write(point, checked, { ...range, offset: 0 }, work),
  })),
  wrong(BEFORE, 'repeats the rows of earlier pages', /after a page and a file .* answered/, ({ write }) => ({
    write: (point, checked, { before: _, ...range }, work) => write(point, checked, range, work),
  })),
  wrong(BEFORE, 'does not read files of earlier rows', /after a page and a file .* answered/, ({ write }) => ({
    write: (point, checked, { before = [], ...range }, work) =>
      write(point, checked, { ...range, before: before.filter(({ from }) => typeof from !== 'string') }, work),
  })),
  wrongFile(EXPORTS, 'miscounts rows', /rows of export\(\) to ndjson .* answered 5/, ({ rows }) => ({
    rows: rows + 1,
  })),
  wrongFile(EXPORTS, 'writes more than it reports', /reported \d+ of \d+ bytes/, async ({ path }) =>
    appendFile(path, '!'),
  ),
  wrongFile(EXPORTS, 'writes text as the machine has it', /export\(\) to (NDJSON|CSV) answered/, async ({ path }) => {
    if (!path.endsWith('parquet')) await writeFile(path, await readFile(path, 'latin1'))
    return { bytes: (await stat(path)).size }
  }),
  wrong(EXPORTS, 'cuts Parquet short', /a file with other rows or columns: it has 10 rows/, engine => ({
    async export(point, checked, work, form) {
      const sql = `SELECT * FROM (${checked.sql}) AS q LIMIT 10`
      const file = await engine.export(point, { ...checked, sql }, work, form)
      return form.format === 'parquet' ? { ...file, rows: 3_000 } : file
    },
  })),
  wrong('exports to the other formats, or says that it cannot', 'fails', /to arrow rejected .*kind fault/, engine => ({
    export: async (point, checked, work, form) => {
      if (form.format === 'arrow') throw new EngineFailure('fault', 'no')
      return engine.export(point, checked, work, form)
    },
  })),
  wrong('keeps the names of columns in files', 'lowers them', /"mixedcase":7/, engine => ({
    export: (point, checked, ...given) => {
      const sql = checked.sql.replace('"MixedCase"', '"mixedcase"')
      return engine.export(point, { ...checked, sql }, ...given)
    },
  })),
  wrong('escapes formulas in CSV only when it is asked to', 'never does', /to be escaped, answered/, engine => ({
    export: (point, checked, work, form) => engine.export(point, checked, work, { ...form, escapesFormulas: false }),
  })),
  wrong('gives each caller a file of its own', 'shares exports', /gave 4 files/, engine => {
    const files = new Map<string, Promise<ExportedFile>>()
    return {
      export(point, checked, ...given) {
        const file = files.get(checked.sql) ?? engine.export(point, checked, ...given)
        files.set(checked.sql, file)
        return file
      },
    }
  }),
  wrongLimits('refuses a row larger than rowBytes', 'takes any row', /up to a large row answered/, {
    rowBytes: 2 ** 20,
  }),
  wrongFailure(
    'refuses a row larger than rowBytes',
    'does not say which',
    /the message of a failure .* it should answer "Row 4/,
    ['row-bytes', 'row-bytes'],
    () => 'A row is too large.',
  ),
  wrongLimits('ends a page at the limit pageBytes', 'has pages of any size', /rows\(\) gave 3000 rows/, {
    pageBytes: 2 ** 20,
  }),
  wrongLimits(STOPS, 'writes files of any size', /to ndjson beyond exportBytes answered/, { exportBytes: 2 ** 30 }),
  wrong(STOPS, 'leaves what it has written', /left 1 files behind/, engine => {
    let folder = ''
    return {
      export: (point, checked, work, form) =>
        engine.export(point, checked, work, form).then(
          file => {
            folder = join(file.path, '..')
            return file
          },
          async cause => {
            await writeFile(join(folder, `left.${form.format}`), '')
            throw cause
          },
        ),
    }
  }),
  wrongFailure(WHY, 'says nothing', /name the value that is wrong/, ['query', 'query'], () => 'It failed.'),
  wrongFailure(
    WHY,
    'names files',
    /name no path of the machine/,
    ['query', 'query'],
    text => `${text} in /srv/data/label.parquet`,
  ),
  wrongFailure(WHY, 'takes it for a bug', /rejected with .* kind fault/, ['query', 'fault']),
  wrongFailure(TIME, 'calls it a lack of memory', /rejected with .* kind memory/, ['timeout', 'memory']),
  wrongWork(TIME, 'takes four times as long', /ended after \d+ ms; it should end within/, { timeoutMs: 2_900 }),
  wrong(TIME, 'ends statements early', /give the statement its time/, ({ rows }) => ({
    rows: (point, checked, range, work) =>
      rows(point, checked, range, { ...work, timeoutMs: work.timeoutMs < 1_000 ? 100 : work.timeoutMs }),
  })),
  wrongWork(LEFT, 'goes on for whoever has left', /kind timeout/, {
    signal: new AbortController().signal,
    timeoutMs: 2_500,
  }),
  wrongFailure(LEFT, 'takes it for a bug', /rejected with .* kind fault/, ['cancelled', 'fault']),
  wrongLimits(
    'lets no call wait longer than connectionWaitMs for a connection',
    'lets them wait for long',
    /waited \d+ ms; it should wait for connectionWaitMs/,
    { connectionWaitMs: 3_500 },
  ),
  wrongFailure(GONE, 'takes it for a bug', /rejected with .* kind fault/, ['snapshot', 'fault']),
  {
    check: GONE,
    what: 'reports nothing to its host',
    says: /reported nothing to the host/,
    spoil: subject => ({ ...subject, open: host => subject.open({ ...host, onEvent: () => {} }) }),
  },
  wrong(LOAD, 'is never busy', /was never busy/, ({ stats }) => ({ stats: () => ({ ...stats(), busy: 0 }) })),
  wrong(LOAD, 'never answers', /answered 0 workers/, () => ({ answering: async () => ({ workers: 0, guard: true }) })),
  {
    check: CLOSED,
    what: 'stays open',
    says: /rows\(\) while it closes/,
    spoil(subject) {
      let engine: Engine | undefined
      return {
        ...subject,
        open(host) {
          engine = subject.open(host)
          return { ...engine, close: async () => {} }
        },
        async close() {
          await engine?.close()
          await subject.close?.()
        },
      }
    },
  },
  wrong(CLOSED, 'cannot be closed twice', /close\(\) rejected with Error: closed/, ({ close }) => {
    let isClosed = false
    return {
      async close() {
        const before = isClosed
        isClosed = true
        await close()
        if (before) throw new Error('closed')
      },
    }
  }),
]
