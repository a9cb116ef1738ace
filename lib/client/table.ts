import type { Table } from 'apache-arrow'
import type { Download, ExportLink } from './download.js'
import { fromLz4Frame } from './lz4.js'
import { withPageValues } from './table-values.js'

/** The packages that read Parquet and hold its rows. */
type Readers = [typeof import('parquet-wasm'), typeof import('apache-arrow')]

/** First bytes of the files that hold a table. */
const PARQUET = 'PAR1'
const ARROW = '\xff\xff\xff\xff'

/**
 * Reads the whole file into a table. Loads the packages first, so that a missing one fails before the
 * download.
 */
export async function readTable(begin: () => Promise<Download>, link: ExportLink): Promise<Table> {
  const [{ readParquet }, arrow] = await loadReaders()
  const { body } = await begin()
  const bytes = new Uint8Array(await new Response(body).arrayBuffer())
  const magic = String.fromCharCode(...bytes.subarray(0, 4))
  if (magic !== PARQUET && magic !== ARROW)
    throw new TypeError(
      'readTable() reads exports of the formats parquet and arrow. Use download() for the others.',
    )
  return withPageValues(
    arrow.tableFromIPC(magic === PARQUET ? readParquet(bytes).intoIPCStream() : bytes),
    arrow,
    typeof link === 'string' ? undefined : link.columns,
  )
}

async function loadReaders(): Promise<Readers> {
  try {
    // One await each: in Promise.all(), bundlers do not see that a missing package is handled.
    const parquet = await import('parquet-wasm')
    const arrow = await import('apache-arrow')
    // In Node the module is ready once imported; elsewhere its default export fetches the WebAssembly.
    const { default: prepare } = parquet as { default?: unknown }
    if (typeof prepare === 'function') await prepare()
    arrow.compressionRegistry.set(arrow.CompressionType.LZ4_FRAME, { decode: fromLz4Frame })
    return [parquet, arrow]
  } catch (cause) {
    throw new Error(
      'readTable() needs two packages beside foldgate: npm install parquet-wasm apache-arrow. ' +
        'In a page without a bundler they stand in its import map, and a Content-Security-Policy has wasm-unsafe-eval.',
      { cause },
    )
  }
}
