import assert from 'node:assert/strict'

/** A field of CSV, without its quotes. */
export interface Field {
  text: string
  isQuoted: boolean
}

/** Reads CSV with line feeds as RFC 4180 has it; every record ends with one. Fails at anything that is not CSV. */
export function readCsv(csv: string): Field[][] {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))([,\n])/y
  const records: Field[][] = []
  let record: Field[] = []
  while (field.lastIndex < csv.length) {
    const start = field.lastIndex
    const [, quoted, plain = '', end] =
      field.exec(csv) ?? assert.fail(`no field at ${start}: ${csv.slice(start, start + 80)}`)
    record.push({ text: quoted?.replaceAll('""', '"') ?? plain, isQuoted: quoted !== undefined })
    if (end === ',') continue
    records.push(record)
    record = []
  }
  assert.deepEqual(record, [], 'the last record ends with a line feed')
  return records
}

/** Fails unless a field has this value, as pages have it in JSON. */
export function assertField({ text, isQuoted }: Field, value: unknown, message?: string): void {
  if (value === null) assert.deepEqual({ text, isQuoted }, { text: '', isQuoted: false }, message)
  else if (typeof value === 'string') assert.deepEqual([text, text !== '' || isQuoted], [value, true], message)
  else assert.deepEqual(JSON.parse(text), value, message)
}
