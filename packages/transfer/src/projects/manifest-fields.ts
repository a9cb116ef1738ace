import { FILE_NAME, isSnapshotId } from 'foldgate/internal'
import { isUuid, parseInstant } from 'foldgate-server/parts'

/** What a field must be, and whether a value is that. */
type FieldForm = readonly [what: string, holds: (value: unknown) => boolean]

const text = (what: string, holds: (text: string) => boolean): FieldForm => [
  what,
  value => typeof value === 'string' && holds(value),
]
const TEXT = text('a string', value => value !== '')
const UUID = text('a UUID in lower case', value => isUuid(value) && value === value.toLowerCase())
const SNAPSHOT_ID = text('six digits, a hyphen and a UUID', isSnapshotId)
const INSTANT = text('an RFC 3339 date-time', value => parseInstant(value) !== null)
const FILE = text('the name of a file in the same folder', value => FILE_NAME.test(value))
const DIGEST = text('64 hexadecimal digits', value => /^[0-9a-f]{64}$/.test(value))
const COUNT: FieldForm = [
  'a whole number, 0 or more',
  value => Number.isSafeInteger(value) && Number(value) >= 0,
]
const optional = ([what, holds]: FieldForm): FieldForm => [what, value => value === undefined || holds(value)]

type FieldForms = Readonly<Record<string, FieldForm>>

const MANIFEST: FieldForms = {
  formatVersion: COUNT,
  snapshotId: SNAPSHOT_ID,
  projectId: UUID,
  sealedAt: INSTANT,
  assessmentId: optional(TEXT),
  sourceDigest: optional(TEXT),
}
const STORED: FieldForms = { file: FILE, sha256: DIGEST, bytes: COUNT }
const WARNING: FieldForms = { table: TEXT, column: optional(TEXT), message: TEXT, rows: optional(COUNT) }

/**
 * Lists the fields of a snapshot manifest that are missing, or of another type or form; one sentence each.
 */
export function wrongFields(manifest: object): string[] {
  const problems: string[] = []
  const given = manifest as Record<string, unknown>
  const say = (place: string, value: unknown, what: string) => {
    const found = value === undefined ? 'is missing' : `is ${JSON.stringify(value).slice(0, 60)}`
    problems.push(`${place} ${found}: it must be ${what}`)
  }
  const check = (place: string, value: unknown, fields: FieldForms): Record<string, unknown> => {
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
    if (!isObject) say(place, value, 'an object')
    const members = isObject ? (value as Record<string, unknown>) : {}
    for (const [name, [what, holds]] of isObject ? Object.entries(fields) : [])
      if (!holds(members[name])) say(place === '' ? name : `${place}.${name}`, members[name], what)
    return members
  }
  const checkList = (place: string, value: unknown, fields: FieldForms) => {
    if (!Array.isArray(value)) say(place, value, 'a list')
    return (Array.isArray(value) ? value : []).map((each, at) => check(`${place}[${at}]`, each, fields))
  }
  const hasTree = given.rootId !== undefined || given.entities !== undefined
  check('', given, { ...MANIFEST, ...(hasTree ? { rootId: UUID } : {}) })
  if (hasTree) check('entities', given.entities, { ...STORED, count: COUNT })
  if (given.warnings !== undefined) checkList('warnings', given.warnings, WARNING)
  for (const [at, table] of checkList('tables', given.tables, {
    name: TEXT,
    rows: COUNT,
    version: optional(DIGEST),
  }).entries()) {
    const place = `tables[${at}]`
    checkList(`${place}.columns`, table.columns, { name: TEXT, type: TEXT })
    if ('files' in table) checkList(`${place}.files`, table.files, STORED)
    else check(place, table, STORED)
  }
  return problems
}
