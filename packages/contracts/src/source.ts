import { isType } from 'foldgate/internal'
import type { TableSource } from 'foldgate/sealing'
import {
  type Check,
  type Checks,
  type ContractOptions,
  contract,
  isHanging,
  must,
  mustBe,
  shown,
  wanted,
} from './contract.js'
import { type Delivered, delivered } from './delivered.js'
import { type ReadBytes, SourceReader, type SourceSubject } from './source-reader.js'

const PATIENCE_MS = 10_000
/** Most chunks of a source that has been told to end. */
const MOST_AFTERWARDS = 100

/**
 * Returns the checks that a source of rows must pass before snapshots are sealed from it. Each check makes its own
 * subject with `makeSubject` when it runs. For a source of Parquet, the packages `parquet-wasm` and `apache-arrow` have
 * to be installed.
 *
 * @param makeSubject - Makes a source, with the `rows` that it delivers as texts, and the `columns` that the catalogue
 * declares. It may have `close()`, which the check calls at its end.
 * @param options - How long a call may take before it counts as hanging: `patienceMs`, default 10,000 ms.
 * @returns The checks, to be registered with a test runner. `run` rejects with an error that says what the subject did
 * and what it should do.
 *
 * @example
 * ```ts
 * const checks = sourceContract(() => ({
 *   port: fromRows([{ id: 1, name: 'one' }, { id: 2, name: null }, { id: 3, name: '' }]),
 *   columns: { id: 'INTEGER', name: 'VARCHAR' },
 *   rows: [{ id: '1', name: 'one' }, { id: '2', name: null }, { id: '3', name: '' }],
 * }))
 * for (const { name, run } of checks) it(name, run)
 * ```
 */
export function sourceContract(
  makeSubject: () => SourceSubject | Promise<SourceSubject>,
  options: ContractOptions = {},
): Check[] {
  return contract(makeSubject, checksOf(options.patienceMs ?? PATIENCE_MS), options)
}

function checksOf(patienceMs: number): Checks<SourceSubject> {
  const reader = new SourceReader(patienceMs)
  return {
    async 'delivers its rows in the format that it names'(subject) {
      const found = await delivered(await reader.readAll(subject))
      const columns = Object.keys(subject.columns ?? subject.rows[0] ?? {})
      mustBe('its header, in alphabetical order,', found.columns.toSorted(), columns.toSorted())
      const text = (value: string | null | undefined) => value || null
      mustBeRows(subject, found, (value, expected) => value === undefined || text(value) === text(expected))
    },

    async 'tells NULL from an empty text, unless its format is csv'(subject) {
      const read = await reader.readAll(subject)
      const isNull = (value: string | null | undefined) => (read.format === 'csv' ? !value : value === null)
      mustBeRows(subject, await delivered(read), (value, expected) => isNull(value) === isNull(expected))
    },

    async 'tells types that a table can have, of columns that it delivers'(subject) {
      const read = await reader.readAll(subject)
      const { columns } = await delivered(read)
      for (const [name, type] of Object.entries(read.types)) {
        must(columns.includes(name), `it told the type of ${shown(name)}`, 'tell those of its columns')
        must(isType(type), `it told the type ${shown(type)}`, 'tell types of the engine, such as BIGINT')
      }
    },

    async 'delivers the same rows when it is read again, or rejects'(subject) {
      const first = await reader.readAll(subject)
      const again = await reader.readAll(subject).catch((cause: unknown) => {
        if (isHanging(cause)) throw cause
        return first
      })
      const lines = async (read: ReadBytes) =>
        (await delivered(read)).rows.map(row => JSON.stringify(row)).toSorted()
      mustBe('the rows of the second read', await lines(again), await lines(first))
    },

    async 'does not run ahead of its reader'({ endless, columns }) {
      if (!endless) return
      const { port, taken } = endless
      await reader.reading(port, columns, wanted(), async ({ next, end }) => {
        await next()
        must(await reader.still(taken), 'it went on while its reader paused', 'wait until more is asked for')
        await end()
      })
    },

    async 'ends when its signal fires, and gives back what it holds'(subject) {
      const aborted = async (source: TableSource, isBefore: boolean) => {
        const abort = new AbortController()
        let chunks = 0
        if (isBefore) abort.abort()
        const reads = reader.reading(source, subject.columns, abort.signal, async ({ next }) => {
          if (!isBefore) await next()
          abort.abort()
          while (chunks < MOST_AFTERWARDS && !(await next()).done) chunks += 1
        })
        await reads.catch(cause => {
          if (isHanging(cause)) throw cause
        })
        must(chunks < MOST_AFTERWARDS, `it delivered ${chunks} chunks after its signal had fired`, 'end')
      }
      await aborted(subject.endless?.port ?? subject.port, false)
      await reader.mustHoldNothing(subject, 'after its signal had fired')
      await aborted(subject.port, true)
      await reader.mustHoldNothing(subject, 'after its signal had fired before it was read')
    },

    async 'gives back what it holds when it is not read to its end'(subject) {
      await reader.reading(
        subject.endless?.port ?? subject.port,
        subject.columns,
        wanted(),
        async ({ next, end }) => {
          await next()
          await end()
        },
      )
      await reader.mustHoldNothing(subject, 'when it was not read to its end')
    },

    async 'begins and ends its session, if it has one'(subject) {
      const { session } = subject.port
      if (!session) return
      for (const failed of [false, true]) {
        const handle = await reader.settled('begin()', () => session.begin(wanted()))
        await reader.settled('end() of its session', () => session.end(handle, failed))
        await reader.mustHoldNothing(subject, 'after its session had ended')
      }
      await reader
        .settled('begin()', () => session.begin(AbortSignal.abort()))
        .then(
          handle => reader.settled('end() of its session', () => session.end(handle, true)),
          cause => {
            if (isHanging(cause)) throw cause
          },
        )
      await reader.mustHoldNothing(subject, 'after a session that was not wanted')
    },
  }
}

/** Fails unless the rows agree, in any order when that of the source says nothing. */
function mustBeRows(
  { port, rows }: SourceSubject,
  found: Delivered,
  agree: (found: string | null | undefined, expected: string | null | undefined) => boolean,
): void {
  mustBe('the number of rows', found.rows.length, rows.length)
  const left = [...found.rows]
  rows.forEach((expected, at) => {
    const isSame = (row: Delivered['rows'][number]) =>
      found.columns.every((name, column) => agree(row[column], expected[name]))
    const same = port.isOrdered ? (left[0] && isSame(left[0]) ? 0 : -1) : left.findIndex(isSame)
    must(same >= 0, `row ${at + 1}, ${shown(expected)}, was missing in ${shown(found.rows)}`, 'deliver it')
    left.splice(same, 1)
  })
}
