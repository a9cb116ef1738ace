import { once } from 'node:events'
import type { Command } from 'commander'
import { parseInstant } from '../input/instants.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { type Parser, parseSetting, whole } from '../settings/parsers.js'
import { type AuditFilter, type AuditRecord, readAudit } from '../store/audit.js'
import { checkProjectId } from '../store/projects.js'
import { addCommand, type CommonOptions, withStore } from './command.js'
import { printList } from './print.js'

const RECORDS = whole(1, 999_999_999)
const ACTION: Parser<string> = {
  placeholder: 'action',
  accepts: 'an action such as key.made, or a kind of them such as key',
  parse: given => (/^[a-z]+(\.[a-z-]+)?$/.test(given) ? given : null),
}

interface AuditOptions extends CommonOptions {
  since?: string
  until?: string
  action?: string
  who?: string
  organization?: string
  project?: string
  limit?: string
}

/** `foldgate audit` */
export function auditCommand(program: Command): void {
  addCommand(program, 'audit', 'Show who changed what, and who logged in, the newest last.')
    .option('--since <time>', 'Only from this time on, as RFC 3339, for example 2027-01-31T09:00:00Z.')
    .option('--until <time>', 'Only before this time.')
    .option(`--action <${ACTION.placeholder}>`, 'Only this action, such as key.made, or all of key.')
    .option('--who <who>', 'Only what this user has done, or for instance command:root.')
    .option('--organization <key>', 'Only what concerns this organization.')
    .option('--project <uuid>', 'Only what concerns this project.')
    .option(`--limit <${RECORDS.placeholder}>`, 'Only so many, the newest.')
    .addHelpText(
      'after',
      '\nWith --json, each record is one line. Servers remove records that are older than the limit auditDays.',
    )
    .action((options: AuditOptions) =>
      withStore(options, async store => {
        const records = readAudit(store, filterOf(options))
        if (options.json) return printLines(records)
        await printList(options, records, {
          AT: each => each.at,
          ACTION: each => each.action,
          WHO: each => each.who,
          FROM: each => each.from ?? '-',
          SUBJECT: each => each.subject,
          DETAILS: detailsOf,
        })
      }),
    )
}

function filterOf(options: AuditOptions): AuditFilter {
  const { since, until, action, who, organization, project, limit } = options
  return {
    ...(since === undefined ? {} : { since: checkInstant('--since', since) }),
    ...(until === undefined ? {} : { until: checkInstant('--until', until) }),
    ...(action === undefined ? {} : { action: parseSetting('--action', ACTION, action) }),
    ...(who === undefined ? {} : { who: who.includes('@') ? who.toLowerCase() : who }),
    ...(organization === undefined ? {} : { organization }),
    ...(project === undefined ? {} : { project: checkProjectId(project) }),
    ...(limit === undefined ? {} : { limit: parseSetting('--limit', RECORDS, limit) }),
  }
}

function checkInstant(flag: string, text: string): number {
  const instant = parseInstant(text)
  if (instant !== null) return instant
  throw new Refusal(
    `${flag} cannot be ${quoted(text)}: write it as RFC 3339, for instance 2027-01-31T09:00:00Z`,
  )
}

/** The details without what other columns show. */
function detailsOf({ subject, organizations, details }: AuditRecord): string {
  const shown = Object.entries<unknown>({
    ...(organizations.length > 0 ? { organizations } : {}),
    ...details,
  })
  return shown
    .filter(([name, value]) => value !== null && value !== subject && name !== 'organization')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

async function printLines(records: AsyncIterable<AuditRecord>): Promise<void> {
  for await (const record of records)
    if (!process.stdout.write(`${JSON.stringify(record)}\n`)) await once(process.stdout, 'drain')
}
