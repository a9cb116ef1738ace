import type { Table } from 'apache-arrow'
import type { Download } from './download.js'
import { withPageValues } from './table-values.js'

/** The packages that read Parquet and hold its rows. */
type Readers = [typeof import('parquet-wasm'), typeof import('apache-arrow')]

/** Reads the whole file into a table. Loads the packages first, so that a missing one fails before the download. */
export async function readTable(begin: () => Promise<Download>): Promise<Table> {
  const [{ readParquet }, arrow] = await loadReaders()
  const { body } = await begin()
  const bytes = new Uint8Array(await new Response(body).arrayBuffer())
  return withPageValues(arrow.tableFromIPC(readParquet(bytes).intoIPCStream()), arrow)
}

async function loadReaders(): Promise<Readers> {
  try {
    const readers = await Promise.all([import('parquet-wasm'), import('apache-arrow')])
    // In Node the module is ready once imported; elsewhere its default export fetches the WebAssembly.
    const { default: prepare } = readers[0] as { default?: unknown }
    if (typeof prepare === 'function') await prepare()
    return readers
  } catch (cause) {
    throw new Error(
      'readTable() needs two packages beside foldgate: npm install parquet-wasm apache-arrow. ' +
        'In a page without a bundler they stand in its import map, and a Content-Security-Policy has wasm-unsafe-eval.',
      { cause },
    )
  }
}
