import { type ColumnType, TYPES as FORMS, type ResultColumn } from './types.js'

/** The files of a workbook with two sheets, around the rows of the first. */

/** Most UTF-16 units of a string in a cell. */
export const CELL_UNITS = 32_767

/** How cells look: places in the list of formats of {@link STYLES_XML}. */
export const STYLES = {
  general: 0,
  heading: 1,
  date: 2,
  timestamp: 3,
  timestampMs: 4,
  instant: 5,
  instantMs: 6,
  time: 7,
  timeMs: 8,
  digits: 9,
  wrapped: 10,
} as const

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const SHEETS = ['Rows', 'About']
/** Narrowest and widest column, in characters. */
const WIDTHS = { least: 8, most: 60 }
/** What dates take, as characters. */
const DATE_WIDTHS: Readonly<Record<string, number>> = { date: 10, timestamp: 20 }
/** Width beside the text of a cell, in characters: a margin, and the button of the filter. */
const BESIDE = 3
/** Rows that the widths of columns are taken from. */
const SAMPLED_ROWS = 50

export const PATHS = {
  types: '[Content_Types].xml',
  relations: '_rels/.rels',
  rows: 'xl/worksheets/sheet1.xml',
  about: 'xl/worksheets/sheet2.xml',
  styles: 'xl/styles.xml',
  workbook: 'xl/workbook.xml',
  parts: 'xl/_rels/workbook.xml.rels',
}

export const CONTENT_TYPES =
  `${XML}<Types xmlns="${PACKAGE}/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  `<Override PartName="/${PATHS.workbook}" ContentType="${TYPES}.sheet.main+xml"/>` +
  `<Override PartName="/${PATHS.rows}" ContentType="${TYPES}.worksheet+xml"/>` +
  `<Override PartName="/${PATHS.about}" ContentType="${TYPES}.worksheet+xml"/>` +
  `<Override PartName="/${PATHS.styles}" ContentType="${TYPES}.styles+xml"/></Types>`

export const RELATIONS = relationships(['officeDocument', PATHS.workbook])

export const PARTS = relationships(
  ['worksheet', 'worksheets/sheet1.xml'],
  ['worksheet', 'worksheets/sheet2.xml'],
  ['styles', 'styles.xml'],
)

function relationships(...targets: [type: string, target: string][]): string {
  const each = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`
}

/** Number formats, from 164 on as custom ones are numbered; an instant shows its zone. */
const FORMATS = {
  [STYLES.date]: 'yyyy\\-mm\\-dd',
  [STYLES.timestamp]: 'yyyy\\-mm\\-dd hh:mm:ss',
  [STYLES.timestampMs]: 'yyyy\\-mm\\-dd hh:mm:ss.000',
  [STYLES.instant]: 'yyyy\\-mm\\-dd hh:mm:ss"Z"',
  [STYLES.instantMs]: 'yyyy\\-mm\\-dd hh:mm:ss.000"Z"',
  [STYLES.time]: 'hh:mm:ss',
  [STYLES.timeMs]: 'hh:mm:ss.000',
} as const
const FIRST_CUSTOM = 164
/** The built-in format 0. */
const ALL_DIGITS = 1
const FONT = '<sz val="11"/><name val="Calibri"/><family val="2"/>'

export const STYLES_XML =
  `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${Object.keys(FORMATS).length}">` +
  Object.entries(FORMATS)
    .map(
      ([style, code]) => `<numFmt numFmtId="${FIRST_CUSTOM + Number(style)}" formatCode="${escaped(code)}"/>`,
    )
    .join('') +
  `</numFmts><fonts count="2"><font>${FONT}</font><font><b/>${FONT}</font></fonts>` +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${Object.keys(STYLES).length}">${Object.values(STYLES).map(look).join('')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'

function look(style: number): string {
  const format = style in FORMATS ? FIRST_CUSTOM + style : style === STYLES.digits ? ALL_DIGITS : 0
  const font = style === STYLES.heading ? 1 : 0
  const wrap = style === STYLES.wrapped ? '<alignment vertical="top" wrapText="1"/>' : ''
  return (
    `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0"` +
    `${format ? ' applyNumberFormat="1"' : ''}${font ? ' applyFont="1"' : ''}` +
    (wrap ? ` applyAlignment="1">${wrap}</xf>` : '/>')
  )
}

/** The workbook, whose first sheet has a filter over `range`. */
export function workbookXml(range: string): string {
  const sheets = SHEETS.map(
    (name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  ).join('')
  return (
    `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets}</sheets><definedNames>` +
    `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">${SHEETS[0]}!${range.replace(/[A-Z]+|\d+/g, '$$$&')}` +
    '</definedName></definedNames></workbook>'
  )
}

/** The range of all cells of a sheet: A1:I42. */
export function rangeOf(columns: number, rows: number): string {
  return `A1:${columnName(columns)}${rows}`
}

/** The first sheet up to its rows; the widths of its columns fit its first rows. */
export function sheetStart(columns: readonly ResultColumn[], firstRows: string): string {
  const widths = columns.map(({ name, type }) => Math.max(name.length, widthOf(type)))
  for (const row of firstRows.split('\n', SAMPLED_ROWS))
    [...row.matchAll(/<c r="[A-Z]+\d+"(?:\/>|(?: s="(\d+)")?[^>]*>(.*?)<\/c>)/gs)].forEach(
      ([, style, content = ''], index) => {
        // What a date takes depends on its format.
        const characters =
          style && Number(style) !== STYLES.digits ? 0 : content.replace(/<[^>]*>/g, '').length
        if (index < widths.length) widths[index] = Math.max(widths[index] as number, characters)
      },
    )
  const cols = widths.map((width, index) => {
    const characters = Math.min(WIDTHS.most, Math.max(WIDTHS.least, width + BESIDE))
    return `<col min="${index + 1}" max="${index + 1}" width="${characters}" customWidth="1"/>`
  })
  return (
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0" tabSelected="1">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols>${cols.join('')}</cols><sheetData>` +
    row(
      1,
      columns.map(({ name }) => [name, STYLES.heading]),
    )
  )
}

/** The first sheet after its rows. */
export function sheetEnd(range: string): string {
  return `</sheetData><autoFilter ref="${range}"/></worksheet>`
}

/** The second sheet: names and strings; a string that is too long for a cell is spread over several rows. */
export function aboutXml(about: Readonly<Record<string, string>>): string {
  const texts = Object.entries(about).flatMap(([name, text]) =>
    inCells(text).map((part, index) => [index > 0 ? '' : name, part] as const),
  )
  const rows = texts.map(([name, part], index) =>
    row(index + 1, [
      [name, STYLES.heading],
      [part, STYLES.wrapped],
    ]),
  )
  return (
    `${XML}<worksheet xmlns="${MAIN}"><cols><col min="1" max="1" width="18" customWidth="1"/>` +
    `<col min="2" max="2" width="100" customWidth="1"/></cols><sheetData>${rows.join('')}</sheetData></worksheet>`
  )
}

function inCells(text: string): string[] {
  const parts: string[] = []
  for (let from = 0; from < text.length || parts.length === 0; from += parts.at(-1)?.length as number) {
    const part = text.slice(from, from + CELL_UNITS)
    parts.push(from + CELL_UNITS < text.length ? part.replace(/[\ud800-\udbff]$/, '') : part)
  }
  return parts
}

/** A row of strings with their styles. */
function row(number: number, cells: readonly (readonly [text: string, style: number])[]): string {
  const written = cells.map(([text, style], index) => cell(`${columnName(index + 1)}${number}`, text, style))
  return `<row r="${number}">${written.join('')}</row>`
}

function cell(reference: string, text: string, style: number): string {
  return `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`
}

/** A string as XML; what XML cannot hold is written as Excel does. */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4})/g, '_x005F_')
    .replace(/[\0-\x08\x0b-\x1f\ufffe\uffff]/g, character => spelledOut(character.charCodeAt(0)))
    .replace(/[&<>"]/g, mark => `&#${mark.charCodeAt(0)};`)
}

function widthOf(type: ColumnType): number {
  return DATE_WIDTHS[FORMS[type.kind].xlsx] ?? 0
}

/** The name of a column by its number, from 1 on: A … Z, AA … XFD. */
export function columnName(number: number): string {
  const [before, letter] = [Math.floor((number - 1) / 26), String.fromCharCode(65 + ((number - 1) % 26))]
  return before > 0 ? columnName(before) + letter : letter
}

/** How Excel writes a character that XML lacks. */
export function spelledOut(code: number): string {
  return `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`
}
