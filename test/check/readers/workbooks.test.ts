import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratchFolder } from '../../server/command.js'
import { KEYS, PROJECT, type Service, sharedService } from '../../service/service.js'
import { statementOfAll } from './columns.js'
import { built } from './programs.js'

interface Printed {
  columns: string[]
  rows: unknown[][]
  types: string[]
  bold: boolean
  frozen: string
  filter: string
  about: [string, string][]
}

/** Texts that spreadsheets take for formulas, and that XML cannot hold as they are. */
const TEXTS = ['=1+1', '@a', '+1', ' a\r\n\tb ', '_x0041_', '\u0001\u001f\0', '<&>', '']
const BUILD_MS = 600_000

describe('workbooks read by openpyxl', function () {
  this.timeout(60_000)
  const scratch = scratchFolder()
  let service: Service
  let run: (...args: string[]) => Promise<string>
  before(async function () {
    this.timeout(BUILD_MS)
    service = await sharedService()
    const program = await built('python')
    if (!program) {
      console.log('Left out: workbooks read by openpyxl, not to be had.')
      return this.skip()
    }
    run = program
  })

  async function read(sql: string): Promise<Printed> {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql, format: 'xlsx' })
    assert.ok(body.result?.url, body.message)
    const answer = await fetch(body.result.url, { headers: { authorization: `Bearer ${KEYS.north}` } })
    const path = join(scratch.path, 'rows.xlsx')
    await writeFile(path, new Uint8Array(await answer.arrayBuffer()))
    return JSON.parse(await run('workbook.py', path)) as Printed
  }

  it('have every value of the pages', async () => {
    const sql = statementOfAll()
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql })
    const paged = body.result?.items ?? []
    const { columns, rows } = await read(sql)
    assert.deepEqual(columns, Object.keys(paged[0] ?? {}))
    const differing = columns.flatMap((column, index) =>
      paged.flatMap((items, row) => {
        const [given, wanted] = [rows[row]?.[index], new Map(Object.entries(items)).get(column)]
        return isSame(column, given, wanted) ? [] : [{ column, given, wanted }]
      }),
    )
    assert.deepEqual([rows.length, differing], [paged.length, []])
  })

  it('have texts and no formulas, below bold names that stay in view', async () => {
    const values = TEXTS.map(
      text => `(${[...text, ''].map(one => (one ? `chr(${one.charCodeAt(0)})` : "''")).join('||')})`,
    )
    const { columns, rows, types, bold, frozen, filter } = await read(`FROM (VALUES ${values.join(', ')}) t("=1")`)
    assert.deepEqual([columns, rows], [['=1'], TEXTS.map(text => [text])])
    assert.deepEqual([types, bold, frozen, filter], [['s'], true, 'A2', `A1:A${TEXTS.length + 1}`])
  })

  it('say what they hold, also without rows', async () => {
    const sql = "SELECT 1 AS a, '=x' AS b WHERE false"
    const { columns, rows, about } = await read(sql)
    assert.deepEqual([columns, rows], [['a', 'b'], []])
    assert.deepEqual(
      about.map(([name]) => name),
      ['Project id', 'Snapshot id', 'Sealed at', 'Entity id', 'Ownership view', 'SQL'],
    )
    assert.deepEqual([about[0]?.[1], about.at(-1)?.[1]], [PROJECT, sql])
  })
})

/** Nested values and JSON are texts. Doubles that Excel reads as 0 are too. */
function isSame(column: string, given: unknown, wanted: unknown): boolean {
  if (given === wanted) return true
  if (typeof wanted === 'number' && Math.abs(wanted) < 2.2250738585072014e-308) return given === String(wanted)
  if (
    typeof given !== 'string' ||
    (typeof wanted !== 'object' && (!column.startsWith('json') || typeof wanted === 'string'))
  )
    return false
  return JSON.stringify(JSON.parse(given)) === JSON.stringify(wanted)
}
