import type { SourceRows, SourceSession } from 'foldgate/internal'
import type { TableSource } from 'foldgate/sealing'
import type { SourceSubject } from '#contracts/source-reader.js'
import { never, turn, type Wrong } from './wrong.js'

const ROWS = 'delivers its rows in the format that it names'
const NULLS = 'tells NULL from an empty text, unless its format is csv'
const TYPES = 'tells types that a table can have, of columns that it delivers'
const AGAIN = 'delivers the same rows when it is read again, or rejects'
const AHEAD = 'does not run ahead of its reader'
const ABORT = 'ends when its signal fires, and gives back what it holds'
const EARLY = 'gives back what it holds when it is not read to its end'
const SESSION = 'begins and ends its session, if it has one'

/** Spoils what both sources of a subject do. */
const wrong = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (source: TableSource, subject: SourceSubject) => Partial<TableSource>,
): Wrong<SourceSubject> => ({
  check,
  what,
  says,
  spoil(subject) {
    const spoil = (source: TableSource): TableSource => ({
      isOrdered: source.isOrdered === true,
      ...(source.session ? { session: source.session } : {}),
      read: request => source.read(request),
      ...spoilt(source, subject),
    })
    const { endless } = subject
    return {
      ...subject,
      port: spoil(subject.port),
      ...(endless ? { endless: { ...endless, port: spoil(endless.port) } } : {}),
    }
  },
})

const wrongRows = (check: string, what: string, says: RegExp, spoilt: (rows: SourceRows) => Partial<SourceRows>) =>
  wrong(check, what, says, source => ({
    async read(request) {
      const rows = await source.read(request)
      return { ...rows, ...spoilt(rows) }
    },
  }))

const wrongText = (check: string, what: string, says: RegExp, spoilt: (text: string) => string | Uint8Array) =>
  wrongRows(check, what, says, ({ chunks }) => ({ chunks: spoiltText(chunks, spoilt) }))

async function* spoiltText(chunks: AsyncIterable<Uint8Array>, spoilt: (text: string) => string | Uint8Array) {
  for await (const chunk of chunks) yield Buffer.from(spoilt(Buffer.from(chunk).toString()))
}

const wrongSession = (what: string, says: RegExp, spoilt: (session: SourceSession) => Partial<SourceSession>) =>
  wrong(SESSION, what, says, ({ session }) => ({
    session: { ...(session as SourceSession), ...spoilt(session as SourceSession) },
  }))

export const wrongSources: Wrong<SourceSubject>[] = [
  wrongText(ROWS, 'leaves a row out', /the number of rows answered 2/, text => text.replace('3,\n', '')),
  wrongText(ROWS, 'delivers another value', /row 2, .*, was missing/, text => text.replace('2,""', '5,""')),
  wrongText(ROWS, 'has no header', /its header, .* answered/, text => text.replace('id,name\n', '')),
  wrongText(ROWS, 'delivers a row that is too long', /a row had 3 fields, and the header 2/, text =>
    text.replace('3,\n', '3,,\n'),
  ),
  wrongText(ROWS, 'doubles no quotes', /a field of the CSV was/, text => text.replace('""quo', '"quo')),
  wrongText(ROWS, 'writes Latin-1', /was not UTF-8/, text => Buffer.from(text.replace('quo', 'qüo'), 'latin1')),
  wrongRows(ROWS, 'names another format', /could not be read as Parquet/, () => ({ format: 'parquet' })),
  wrongRows(ROWS, 'names a format of its own', /its format was "json"/, () => ({ format: 'json' as 'csv' })),
  wrongRows(ROWS, 'delivers text', /a chunk was "id"/, () => ({ chunks: ofText('id') })),
  wrongRows(ROWS, 'delivers nothing', /the CSV was empty/, () => ({ chunks: ofText() })),
  wrong(ROWS, 'changes the order that it keeps', /row 2, .*, was missing/, source => ({
    async read(request) {
      const rows = await source.read(request)
      const order = (text: string) => text.replace('2,""\n3,', '3,\n2,""')
      return { ...rows, chunks: spoiltText(rows.chunks, order) }
    },
  })),
  wrong(ROWS, 'rejects', /read\(\) rejected with Error: no such query/, () => ({
    read: () => Promise.reject(new Error('no such query')),
  })),
  wrong(ROWS, 'falls silent', /next\(\) of its chunks had not answered/, () => ({
    read: async () => ({ format: 'csv', chunks: silent }),
  })),
  wrongText(NULLS, 'writes NULL as an empty text', /row \d, .*, was missing/, text => text.replace('3,\n', '3,""\n')),
  wrongText(NULLS, 'writes an empty text as NULL', /row \d, .*, was missing/, text => text.replace('2,""', '2,')),
  wrongRows(TYPES, 'tells types of another database', /it told the type "int4"/, () => ({
    types: () => ({ id: 'int4' }),
  })),
  wrongRows(TYPES, 'tells the type of another column', /it told the type of "ID"/, () => ({
    types: () => ({ ID: 'INTEGER' }),
  })),
  wrong(AGAIN, 'delivers nothing the second time', /the CSV was empty/, source => second(source, ofText())),
  wrong(AGAIN, 'delivers no rows the second time', /the rows of the second read answered \[\]/, source =>
    second(
      source,
      spoiltText(ofText('id,name'), text => text),
    ),
  ),
  wrong(AGAIN, 'falls silent the second time', /read\(\) had not answered/, source => {
    let reads = 0
    return { read: request => (reads++ === 0 ? source.read(request) : never) }
  }),
  wrongRows(AHEAD, 'falls silent about how far it runs', /it went on while its reader paused/, ({ chunks }) => {
    const read: Uint8Array[] = []
    let isOver = false
    const readAhead = async () => {
      for await (const chunk of chunks) if (isOver || !read.push(chunk)) break
    }
    return {
      chunks: (async function* () {
        const all = readAhead()
        try {
          for (;;) {
            while (read.length === 0) await turn()
            yield read.shift() as Uint8Array
          }
        } finally {
          isOver = true
          await all
        }
      })(),
    }
  }),
  wrong(ABORT, 'ignores its signal', /it delivered 100 chunks after its signal had fired/, source => ({
    read: request => source.read({ ...request, signal: new AbortController().signal }),
  })),
  wrong(ABORT, 'falls silent when its signal fires', /next\(\) of its chunks had not answered/, source => ({
    async read(request) {
      const rows = await source.read(request)
      return { ...rows, chunks: untilAborted(rows.chunks, request.signal) }
    },
  })),
  wrong(ABORT, 'falls silent and keeps what it holds', /it held \d+ after its signal had fired/, leaking),
  wrong(EARLY, 'falls silent and keeps what it holds', /it held \d+ when it was not read to its end/, leaking),
  wrongRows(EARLY, 'falls silent when it is told to end', /return\(\) of its chunks had not answered/, ({ chunks }) => {
    const iterator = chunks[Symbol.asyncIterator]()
    return { chunks: { [Symbol.asyncIterator]: () => ({ next: () => iterator.next(), return: () => never }) } }
  }),
  wrongSession('falls silent when it ends', /end\(\) of its session had not answered/, () => ({ end: () => never })),
  wrongSession('rejects when it ends', /end\(\) of its session rejected with Error: no transaction/, () => ({
    end: () => Promise.reject(new Error('no transaction')),
  })),
  wrongSession('falls silent about what it holds', /it held 1 after its session had ended/, () => ({
    end: async () => {},
  })),
  wrongSession('falls silent when it begins', /begin\(\) had not answered/, () => ({ begin: () => never })),
  wrongSession('falls silent for a signal', /it held 1 after a session that was not wanted/, ({ begin }) => ({
    async begin(signal) {
      const handle = await begin(new AbortController().signal)
      signal.throwIfAborted()
      return handle
    },
  })),
]

/** Reads these chunks instead when it is read again. */
function second(source: TableSource, chunks: AsyncIterable<Uint8Array>): Partial<TableSource> {
  let reads = 0
  return {
    async read(request) {
      const rows = await source.read(request)
      return reads++ === 0 ? rows : { ...rows, chunks }
    },
  }
}

/** Ends without telling the source, which keeps what it holds. */
function leaking(source: TableSource): Partial<TableSource> {
  return {
    async read(request) {
      const rows = await source.read({ ...request, signal: new AbortController().signal })
      const iterator = rows.chunks[Symbol.asyncIterator]()
      const next = async () => (request.signal.aborted ? { done: true as const, value: undefined } : iterator.next())
      return { ...rows, chunks: { [Symbol.asyncIterator]: () => ({ next }) } }
    },
  }
}

const silent: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => never }) }

async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk
    if (signal.aborted) await never
  }
}

async function* ofText(...texts: string[]): AsyncGenerator<Uint8Array> {
  yield* texts as unknown as Uint8Array[]
}
