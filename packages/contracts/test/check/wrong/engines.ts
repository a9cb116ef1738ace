import { type Engine, EngineFailure, type EngineHost, type OpenEngine, type RowsPage } from 'foldgate/engine'
import type { EngineSubject } from '../../engine/engine.js'
import type { Wrong } from './wrong.js'

/** An engine with a fault: what it does in place of the correct one. */
export const wrong = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (engine: Engine, host: EngineHost) => Partial<Engine>,
): Wrong<EngineSubject> => ({
  check,
  what,
  says,
  spoil: subject => ({
    ...subject,
    open: host => {
      const engine = subject.open(host)
      return { ...engine, ...spoilt(engine, host) }
    },
  }),
})

/** An engine that was opened with other limits. */
export const wrongLimits = (check: string, what: string, says: RegExp, limits: Partial<EngineHost['limits']>) => ({
  check,
  what,
  says,
  spoil: (subject: EngineSubject): EngineSubject => ({
    ...subject,
    open: (host => subject.open({ ...host, limits: { ...host.limits, ...limits } })) satisfies OpenEngine,
  }),
})

/** An engine that changes the pages of correct ones. */
export const wrongPage = (check: string, what: string, says: RegExp, spoilt: (page: RowsPage) => Partial<RowsPage>) =>
  wrong(check, what, says, ({ rows }) => ({
    async rows(...given) {
      const page = await rows(...given)
      return { ...page, ...spoilt(page) }
    },
  }))

const edited = (from: RegExp, to: string) => (page: RowsPage) => ({
  json: Buffer.from(Buffer.from(page.json).toString().replace(from, to)),
})

const EXAMPLES = 'has worked queries that it runs, a version and a dialect'
const ACCEPTS = 'accepts one SELECT, and names the relations that it reads'
const REFUSES = 'refuses what is not one SELECT'
const STRANGE = 'lets a statement read nothing but the relations of the catalogue'
const OF_A_KEY = 'lets a statement of a limited key read nothing but the relations of the key'
const PLACE = 'says where a statement names a column that does not exist'
const VALUES = 'writes every value as JSON, exactly'
const NAMES = 'keeps the names of columns, and numbers those that repeat'
const RANGE = 'gives the rows of a range, in their order'
const COUNTS = 'counts ownership as the point of view does'
const COLUMNS = 'has the columns of every relation, and no rows of a table that is absent'

export const wrongReadings: Wrong<EngineSubject>[] = [
  wrong(EXAMPLES, 'has no examples', /there were no examples/, () => ({ examples: [] })),
  wrong(EXAMPLES, 'names no dialect', /dialect was ""/, () => ({ dialect: '' })),
  wrong(EXAMPLES, 'has examples that it refuses', /check\(\) of "SHOW it" rejected/, () => ({
    examples: [{ question: 'What?', sql: 'SHOW it' }],
  })),
  wrong(ACCEPTS, 'names no relations', /named \[\]; it should also name fold_tonnes/, ({ check }) => ({
    check: async (...given) => ({ ...(await check(...given)), relations: [] }),
  })),
  wrong(ACCEPTS, 'names what callers must not', /named fold_by_entity;/, ({ check }) => ({
    check: async (...given) => ({ ...(await check(...given)), relations: ['fold_by_entity'] }),
  })),
  wrong(
    'recognizes rows that may differ from run to run',
    'calls every statement the same each time',
    /answered false; it should answer true/,
    ({ check }) => ({ check: async (...given) => ({ ...(await check(...given)), volatile: false }) }),
  ),
  wrong(REFUSES, 'accepts everything', /check\(\) of "" accepted it/, () => ({
    check: async sql => ({ sql, relations: [], volatile: false }),
  })),
  wrong(REFUSES, 'accepts the first of two', /check\(\) of "SELECT 1; SELECT 2" accepted it/, ({ check }) => ({
    check: (sql, asker) => check(sql.split('; SELECT')[0] ?? '', asker),
  })),
  wrong(
    REFUSES,
    'refuses with a failure of its own',
    /rejected with Error: no; .* class INVALID_QUERY/,
    ({ check }) => ({
      check: (...given) => check(...given).catch(() => Promise.reject(new Error('no'))),
    }),
  ),
  wrong(REFUSES, 'accepts any length', /accepted it/, ({ check }) => ({
    check: (sql, asker) => check(sql.slice(0, 60_000), asker),
  })),
  wrong(OF_A_KEY, 'knows no limits', /"SELECT \* FROM emissions" .*key's relations answered/, ({ check }) => ({
    check: (sql, { readable: _, ...asker }) => check(sql, asker),
  })),
  wrong(STRANGE, 'reads strange relations', /rows\(\) of "SELECT \* FROM stranger" answered/, ({ rows }) => ({
    check: async sql => ({ sql, relations: [], volatile: false }),
    rows: (...given) => rows(...given).catch(() => ({ json: Buffer.from(''), rows: 0, more: false, columns: ['n'] })),
  })),
  wrong(PLACE, 'counts characters', /failed at byte \d+, .*; it should fail at the byte/, ({ rows }) => ({
    rows: (point, checked, ...given) =>
      rows(point, checked, ...given).catch(({ kind, message, offset }: EngineFailure) => {
        const before = Buffer.from(checked.sql).subarray(0, offset).toString()
        throw new EngineFailure(kind, message, { offset: before.length })
      }),
  })),
  wrong(PLACE, 'fails without a message', /failed without a message/, ({ rows }) => ({
    rows: (...given) => rows(...given).catch(() => Promise.reject(new EngineFailure('query', ''))),
  })),
  wrong('checks no statement for a caller who has left', 'falls silent', /had not answered/, ({ check }) => ({
    check: (sql, asker) => (asker.signal.aborted ? new Promise(() => {}) : check(sql, asker)),
  })),
  wrongPage(VALUES, 'rounds large numbers', /9007199254740992\b/, edited(/"(-?\d{16,})"/g, '$1')),
  wrongPage(VALUES, 'drops what is no number', /"value":null/, edited(/"-?(NaN|Infinity)"/g, 'null')),
  wrongPage(VALUES, 'loses line breaks', /it should answer/, edited(/\\n/g, ' ')),
  wrongPage(VALUES, 'does not write JSON', /give rows as JSON/, edited(/null/g, 'NULL')),
  wrongPage(NAMES, 'lowers names', /answered \[\{"mixedcase":1/, edited(/"MixedCase"/, '"mixedcase"')),
  wrongPage(NAMES, 'repeats names', /answered \[\{"a":2,"b":3\}\]/, edited(/"a_1"/, '"a"')),
  wrong(RANGE, 'begins at the first row', /from 1990, at most 20, answered/, ({ rows }) => ({
    rows: (point, checked, range, work) => rows(point, checked, { ...range, offset: 0 }, work),
  })),
  wrongPage(RANGE, 'always tells of more', /more of .* answered true/, () => ({ more: true })),
  wrong(RANGE, 'gives one row too many', /from 0, at most 7, answered/, ({ rows }) => ({
    rows: (point, checked, range, work) => rows(point, checked, { ...range, limit: range.limit + 1 }, work),
  })),
  wrongPage(RANGE, 'miscounts', /reported 8 rows and gave 7/, ({ rows }) => ({ rows: rows + 1 })),
  wrongPage('names the columns of a page without rows', 'tells none', /"columns":\["n","Next"\]/, () => ({
    columns: [],
  })),
  wrong('ends a page early at pageBytes', 'fills the page', /end a page of 100 rows before/, ({ rows }) => ({
    rows: (point, checked, { offset, limit }, work) => rows(point, checked, { offset, limit }, work),
  })),
  wrong('ends a page early at pageBytes', 'ends each page after a row', /as far as whole rows do/, ({ rows }) => ({
    async rows(point, checked, range, work) {
      const page = await rows(point, checked, { ...range, limit: 1 }, work)
      return page
    },
  })),
  wrong(COUNTS, 'counts all in full', /net view answered \[\{"tonnes":120/, ({ rows }) => ({
    rows: (point, ...given) => rows({ ...point, ownershipView: 'gross' }, ...given),
  })),
  wrong(COUNTS, 'reads the whole project', /a subtree in net view answered \[\{"tonnes":56/, ({ rows }) => ({
    rows: (point, ...given) => rows({ ...point, entityId: null }, ...given),
  })),
  wrong('reads the snapshot of the point of view', 'does not tell them apart', /digests.* the same/, () => ({
    digests: () => [],
  })),
  wrong('reads the snapshot of the point of view', 'stays at the first one', /of a newer snapshot/, ({ rows }) => {
    const seen = new Map()
    return {
      rows(point, ...given) {
        const { snapshot } = point
        if (!seen.has(snapshot.projectId)) seen.set(snapshot.projectId, snapshot)
        return rows({ ...point, snapshot: seen.get(snapshot.projectId) }, ...given)
      },
    }
  }),
  wrong(
    'never shows an organization the rows of another',
    'takes an id for the project',
    /of (north|south) answered/,
    ({ rows }) => {
      const seen = new Map()
      return {
        rows(point, ...given) {
          const { snapshotId } = point.snapshot
          if (!seen.has(snapshotId)) seen.set(snapshotId, point)
          return rows(seen.get(snapshotId), ...given)
        },
      }
    },
  ),
  wrong(COLUMNS, 'tells no types', /give each column its type/, ({ columns }) => ({
    columns: async (...given) => (await columns(...given)).map(each => each.map(({ name }) => ({ name, type: '' }))),
  })),
  wrong(COLUMNS, 'mixes up the relations', /columns\(\) answered/, ({ columns }) => ({
    columns: async (...given) => (await columns(...given)).reverse(),
  })),
]
