import { EngineFailure } from 'foldgate/engine'
import type { BoundResult } from 'foldgate/internal'
import type { EngineSubject } from '../../engine/engine.js'
import { wrong } from './engines.js'
import type { Wrong } from './wrong.js'

const COLUMNS = 'tells the columns of a statement without running it'
const BUILT = 'tells which relations of a statement are built, and builds none'
const FAILS = 'fails to bind a statement as it would fail to run'
const VALUES = 'runs a statement with the values of its parameters, or refuses it'
const PAGE = { offset: 0, limit: 1 }

const wrongBound = (check: string, what: string, says: RegExp, spoilt: (bound: BoundResult) => Partial<BoundResult>) =>
  wrong(check, what, says, ({ bind }) => ({
    async bind(...given) {
      const bound = await bind(...given)
      return { ...bound, ...spoilt(bound) }
    },
  }))

export const wrongBinding: Wrong<EngineSubject>[] = [
  wrongBound(COLUMNS, 'has one type', /columns of "SELECT \* FROM fold_tonnes" answered/, ({ columns }) => ({
    columns: columns.map(({ name }) => ({ name, type: 'VARCHAR' })),
  })),
  wrongBound(COLUMNS, 'tells no types', /give each column its type/, ({ columns }) => ({
    columns: columns.map(({ name }) => ({ name, type: '' })),
  })),
  wrongBound(COLUMNS, 'lowers names', /answered \["mixedcase"/, ({ columns }) => ({
    columns: columns.map(({ name, type }) => ({ name: name.toLowerCase(), type })),
  })),
  wrongBound(COLUMNS, 'repeats names', /answered \["MixedCase","a","a"\]/, ({ columns }) => ({
    columns: columns.map(({ name, type }) => ({ name: name.replace('_1', ''), type })),
  })),
  wrong(COLUMNS, 'runs what it binds', /bind\(\) of .* rejected with .* kind (query|timeout)/, ({ bind, rows }) => ({
    async bind(point, statement, work) {
      await rows(point, statement, PAGE, { ...work, timeoutMs: 1_000 })
      return bind(point, statement, work)
    },
  })),
  wrongBound(BUILT, 'never has built', /that has been read answered false/, ({ relations }) => ({
    relations: relations.map(({ name }) => ({ name, built: false })),
  })),
  wrongBound(BUILT, 'names what callers must not', /bind\(\) named .*fold_by_entity/, () => ({
    relations: [{ name: 'fold_by_entity', built: false }],
  })),
  wrongBound(BUILT, 'names none', /was undefined/, () => ({ relations: [] })),
  wrong(BUILT, 'builds what it binds', /is bound again, answered true/, ({ bind, rows }) => ({
    async bind(point, statement, work) {
      const bound = await bind(point, statement, work)
      await rows(point, statement, PAGE, work)
      return bound
    },
  })),
  wrong(FAILS, 'binds everything', /bind\(\) of .* answered; it should reject/, ({ bind }) => ({
    bind: (...given) => bind(...given).catch(() => ({ columns: [], relations: [] })),
  })),
  wrong(FAILS, 'points into a text of its own', /bind\(\) of .* answered .*"offset":/, ({ bind }) => ({
    bind: (...given) =>
      bind(...given).catch(({ kind, message, offset = 0 }: EngineFailure) => {
        throw new EngineFailure(kind, message, { offset: offset + 16 })
      }),
  })),
  wrong(VALUES, 'ignores new values', /rows\(\) .* answered/, ({ rows }) => {
    const seen = new Map()
    return {
      rows(point, statement, ...given) {
        if (!seen.has(statement.sql)) seen.set(statement.sql, statement)
        return rows(point, seen.get(statement.sql), ...given)
      },
    }
  }),
  wrong(VALUES, 'exports without values', /export\(\) .* rejected with/, engine => ({
    export: (point, { values: _, ...statement }, ...given) => engine.export(point, statement, ...given),
  })),
  wrong(VALUES, 'names no parameters', /parameters of .* answered \[\]/, ({ check }) => ({
    check: async (...given) => ({ ...(await check(...given)), parameters: [] }),
  })),
  wrong(VALUES, 'takes all values for text', /columns of a value of type DATE answered/, ({ bind }) => ({
    bind: (point, { values, ...statement }, work) => {
      const asText = values?.map(each => ({ ...each, type: { kind: 'varchar' as const }, value: 'x' }))
      return bind(point, { ...statement, ...(asText ? { values: asText } : {}) }, work)
    },
  })),
  wrong(VALUES, 'runs parameters without values', /answered; it should reject/, ({ check, rows }) => ({
    takesParameters: false,
    check: async (...given) => ({ ...(await check(...given)), parameters: [] }),
    rows: (...given) => rows(...given).catch(() => ({ json: Buffer.from(''), rows: 0, more: false, columns: ['n'] })),
  })),
]
