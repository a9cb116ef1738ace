import type { ExportPort, StoredExport } from 'foldgate'
import type { ExportSubject } from '#contracts/export-port.js'
import { never, turn, type Wrong } from './wrong.js'

const BYTES = 'returns every byte, and reports how many there are'
const LAPSED = 'no longer has an export once its retention is over, even after a restart'
const CANCEL = 'releases a stream that is cancelled'
const HANG = 'lets no call hang when its answer is no longer wanted'

const wrong = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (port: ExportPort) => Partial<ExportPort>,
): Wrong<ExportSubject> => ({
  check,
  what,
  says,
  spoil(subject) {
    const { put, open } = subject.port
    return { ...subject, port: { put, open, ...spoilt(subject.port) } }
  },
})

const wrongFile = (check: string, what: string, says: RegExp, spoilt: (stored: StoredExport) => StoredExport) =>
  wrong(check, what, says, ({ open }) => ({
    async open(exportId, signal) {
      const stored = await open(exportId, signal)
      return stored && spoilt(stored)
    },
  }))

/** A stream with every chunk replaced. */
function changed(body: ReadableStream<Uint8Array>, change: (chunk: Uint8Array) => unknown): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream({ transform: (chunk, controller) => controller.enqueue(change(chunk) as Uint8Array) }),
  )
}

export const wrongExports: Wrong<ExportSubject>[] = [
  wrongFile(BYTES, 'reports a wrong size', /told 2 of 1 bytes/, stored => ({
    ...stored,
    bytes: stored.bytes + 1,
  })),
  wrongFile(BYTES, 'loses the last byte', /held 0 bytes instead of the 1/, stored => ({
    ...stored,
    body: () => changed(stored.body(), chunk => chunk.subarray(0, -1)),
  })),
  wrongFile(BYTES, 'streams strings', /hold chunks of bytes/, stored => ({
    ...stored,
    body: () => changed(stored.body(), chunk => Buffer.from(chunk).toString('latin1')),
  })),
  wrong(BYTES, 'does not copy the file', /broke with Error: ENOENT|answered null/, () => {
    const paths = new Map<string, string>()
    return {
      put: async ({ exportId, path }) => void paths.set(exportId, path),
      open: async exportId => {
        const { createReadStream } = await import('node:fs')
        const { Readable } = await import('node:stream')
        const path = paths.get(exportId) ?? ''
        return { bytes: 1, body: () => Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array> }
      },
    }
  }),
  wrong(
    'answers null for an export that does not exist',
    'rejects instead',
    /rejected with Error: no such key/,
    ({ open }) => ({
      open: async (exportId, signal) => (await open(exportId, signal)) ?? Promise.reject(new Error('no such key')),
    }),
  ),
  wrong('keeps each of many that arrive at once', 'shares a variable among calls', /should/, ({ put }) => {
    let place: Parameters<ExportPort['put']>[0]
    return {
      async put(file, signal) {
        place = file
        await turn()
        return put({ ...place, exportId: file.exportId }, signal)
      },
    }
  }),
  wrongFile(
    'can be read by several at once, and again',
    'returns one stream every time',
    /stored, every time/,
    stored => {
      const body = stored.body()
      return { ...stored, body: () => body }
    },
  ),
  wrongFile(CANCEL, 'rejects a cancellation', /rejected its cancellation with Error: locked/, stored => ({
    ...stored,
    body: () => new ReadableStream({ cancel: () => Promise.reject(new Error('locked')) }),
  })),
  {
    check: 'refuses a file that does not exist, and stores nothing',
    what: 'swallows the error',
    says: /said that it was stored; it should reject/,
    spoil: ({ port, ...subject }) => ({
      ...subject,
      port: { open: port.open, put: (file, signal) => port.put(file, signal).catch(() => {}) },
    }),
  },
  {
    check: 'keeps an export over a restart',
    what: 'keeps exports in memory',
    says: /open\(\) of a stored export answered null/,
    spoil: subject => ({ ...subject, reopen: () => ({ put: async () => {}, open: async () => null }) }),
  },
  {
    check: LAPSED,
    what: 'keeps exports for ever',
    says: /retention was over answered/,
    spoil: subject => ({ ...subject, lapse() {} }),
  },
  {
    check: LAPSED,
    what: 'forgets at a restart how old an export is',
    says: /before the restart answered/,
    spoil: subject => ({
      ...subject,
      reopen: () => ({ put: subject.port.put, open: async () => ({ bytes: 1, body: () => new ReadableStream() }) }),
    }),
  },
  wrong(HANG, 'falls silent in put()', /put\(\) had not answered/, ({ put }) => ({
    put: (file, signal) => (signal.aborted ? never : put(file, signal)),
  })),
  wrong(HANG, 'falls silent in open()', /open\(\) had not answered/, ({ open }) => ({
    open: (exportId, signal) => (signal.aborted ? never : open(exportId, signal)),
  })),
]
