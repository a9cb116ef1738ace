import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Int32, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow'
import type { SourceRequest, SourceRows } from 'foldgate/internal'
import { fromArrow, fromCsv, fromParquet, fromRows, type TableSource } from 'foldgate/sealing'
import { Table as WasmTable, writeParquet } from 'parquet-wasm'
import type { SourceSubject } from '#contracts/source-reader.js'

const columns = { id: 'INTEGER', name: 'VARCHAR' }
const VALUES = [
  { id: 1, name: 'a "quoted", long\nname' },
  { id: 2, name: '' },
  { id: 3, name: null },
]
const rows = VALUES.map(({ id, name }) => ({ id: `${id}`, name }))
const arrow = () =>
  new Table({
    id: vectorFromArray(
      VALUES.map(({ id }) => id),
      new Int32(),
    ),
    name: vectorFromArray(
      VALUES.map(({ name }) => name),
      new Utf8(),
    ),
  })

/** Counts the items of a supply that does not end, and holds something until it is ended. */
function endless<Item>(item: (number: number) => Item) {
  const supply = { taken: 0, held: 0 }
  async function* items() {
    supply.held += 1
    try {
      for (;;) {
        await setImmediate()
        supply.taken += 1
        yield item(supply.taken)
      }
    } finally {
      supply.held -= 1
    }
  }
  return { items: items(), taken: () => supply.taken, held: () => supply.held }
}

export function rowSource(): SourceSubject {
  const { items, taken, held } = endless(id => ({ id, name: 'x'.repeat(1000) }))
  return { port: fromRows(VALUES), columns, rows, endless: { port: fromRows(items), taken }, held }
}

export function undeclaredRowSource(): SourceSubject {
  return { port: fromRows(Readable.from(VALUES), { isOrdered: true }), columns: null, rows }
}

export function csvSource(): SourceSubject {
  const { items, taken, held } = endless(id => (id === 1 ? 'id,name\n' : `${id},one\n`))
  const text = 'id,name\r\n1,"a ""quoted"", long\nname"\r\n2,""\r\n3,\r\n'
  return {
    port: fromCsv([Buffer.from(text.slice(0, 20)), text.slice(20)], { hasEmptyText: true }),
    columns,
    rows,
    endless: { port: fromCsv(items), taken },
    held,
  }
}

export function parquetSource(): SourceSubject {
  const bytes = writeParquet(WasmTable.fromIPCStream(tableToIPC(arrow(), 'stream')))
  return { port: fromParquet(Readable.from([bytes.subarray(0, 10), bytes.subarray(10)])), columns, rows }
}

export function arrowSource(): SourceSubject {
  const batch = new Table({ id: vectorFromArray(Int32Array.from({ length: 122_880 }, (_, id) => id)) })
  const { items, taken, held } = endless(() => batch)
  return { port: fromArrow(arrow()), columns, rows, endless: { port: fromArrow(items), taken }, held }
}

/** A source that a host has written, with a session; it can be read again. */
export class HostSource implements TableSource {
  readonly isOrdered: boolean = true
  held = 0
  readonly #chunks: Iterable<string>

  constructor(chunks: Iterable<string>) {
    this.#chunks = chunks
  }

  readonly session = {
    begin: async (signal: AbortSignal) => {
      signal.throwIfAborted()
      this.held += 1
      return { isOpen: true }
    },
    end: async () => {
      this.held -= 1
    },
  }

  async read({ signal }: SourceRequest): Promise<SourceRows> {
    return { format: 'csv-with-empty-text', chunks: this.chunks(signal), types: () => columns }
  }

  async *chunks(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    this.held += 1
    try {
      for (const chunk of this.#chunks) {
        await setImmediate()
        signal.throwIfAborted()
        yield Buffer.from(chunk)
      }
    } finally {
      this.held -= 1
    }
  }
}

export function hostSource(): SourceSubject {
  let taken = 0
  function* chunks() {
    for (;;) yield `${++taken},x\n`
  }
  const port = new HostSource(['id,name\n1,"a ""quo', 'ted"", long\nname"\n', '2,""\n3,\n'])
  const unending = new HostSource(chunks())
  return {
    port,
    columns: null,
    rows,
    endless: { port: unending, taken: () => taken },
    held: () => port.held + unending.held,
  }
}
