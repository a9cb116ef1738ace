import { open } from 'node:fs/promises'
import { EngineFailure } from 'foldgate/engine'
import type { GivenRows } from 'foldgate/internal'
import type { RowBatch } from '../protocol/client.js'
import { exportType } from '../values/export-types.js'
import { written } from './rows.js'

const FLUSH_BYTES = 64 * 1024

/** Writes every row of a result to a file, for DuckDB to export. Fails when it passes `mostBytes`. */
export async function spool(
  batches: AsyncIterable<RowBatch>,
  path: string,
  mostBytes: number,
): Promise<GivenRows> {
  const file = await open(path, 'wx', 0o600)
  let columns: RowBatch['columns'] = []
  let writers: { key: string; write(value: unknown): string }[] | undefined
  let [bytes, longest] = [0, 0]
  try {
    for await (const batch of batches) {
      columns = batch.columns
      writers ??= written(() =>
        columns.map(({ type }, index) => ({ key: `"c${index}":`, write: exportType(type).write })),
      )
      for (const lines of portions(batch.rows, writers)) {
        for (const line of lines) longest = Math.max(longest, line.length)
        const { length } = Buffer.from(lines.join(''))
        bytes += length
        if (bytes > mostBytes)
          throw new EngineFailure(
            'file-bytes',
            `The rows passed ${mostBytes} bytes. Select fewer rows or columns.`,
          )
        await file.writeFile(lines.join(''))
      }
    }
  } finally {
    await file.close()
  }
  const given = columns.map(({ name, type }) => ({ name, type: exportType(type).given }))
  // A character of UTF-16 has at most three bytes in UTF-8.
  return { path, columns: given, lineBytes: 3 * longest }
}

type Writers = readonly { key: string; write(value: unknown): string }[]

/** Lines of rows, in portions that are short enough to be written at once. */
function* portions(rows: RowBatch['rows'], writers: Writers): Generator<string[]> {
  let lines: string[] = []
  let size = 0
  for (const row of rows) {
    const members = writers.map(({ key, write }, index) => {
      const value = row[index]
      return key + (value === null ? 'null' : written(() => write(value)))
    })
    const line = `{${members.join(',')}}\n`
    lines.push(line)
    size += line.length
    if (size < FLUSH_BYTES) continue
    yield lines
    ;[lines, size] = [[], 0]
  }
  if (lines.length > 0) yield lines
}
