import { type AccessRuleNames, type AccessRules, accessRules, callersOf, literally } from './access-rules.js'

/** What {@link clusterRules} takes. */
export interface RulesOptions extends Partial<AccessRuleNames> {
  /** Memory of one statement of a caller over all workers, as Trino writes sizes. Default: `2GB`. */
  memory?: string
  /**
   * Processor time of one statement of a caller over all workers, as Trino writes durations. Default: `10m`.
   */
  cpu?: string
}

/** A file of the cluster's configuration. */
export interface RulesFile {
  /** Below the folder `etc` of the coordinator. */
  path: string
  /** What it does. */
  about: string
  text: string
}

/**
 * The service ends statements before: after 30 s, and exports after 120 s. This is for one that it loses
 * sight of.
 */
const LONGEST = '150s'
/**
 * Only this one ends a statement that is read for too long, before it is planned. It counts the queue too.
 */
const LONGEST_WITH_QUEUE = '5m'
/** Constants are computed while a statement is planned, where no other limit ends it. */
const LONGEST_PLANNING = '5s'
const LARGEST_SCAN = '100GB'

/**
 * Writes the files of a coordinator's `etc` that keep callers apart and within their limits.
 * Throws a TypeError that names the option that is wrong.
 *
 * @example
 * ```ts
 * for (const { path, text } of clusterRules({ catalog: 'foldgate' })) await writeFile(join('etc', path), text)
 * ```
 */
export function clusterRules(options: RulesOptions = {}): RulesFile[] {
  const { catalog = 'foldgate', user = 'foldgate', prefix = '', memory = '2GB', cpu = '10m' } = options
  for (const [name, value] of Object.entries({ catalog, user }))
    if (!/^[\w.@-]+$/.test(value)) throw new TypeError(`${name} may have letters, digits and _ . @ - only`)
  if (!/^[a-z0-9_]*$/.test(prefix))
    throw new TypeError('prefix may have lower-case letters, digits and _ only')
  if (!/^\d+(\.\d+)?[kMGT]?B$/.test(memory)) throw new TypeError('memory must be a size such as 2GB')
  if (!/^\d+(\.\d+)?(s|m|h)$/.test(cpu)) throw new TypeError('cpu must be a duration such as 10m')
  const names = { catalog, user, prefix }
  if (new RegExp(`^(?:${callersOf(names)})$`).test(user))
    throw new TypeError('user must not be named like a schema')
  return [
    {
      path: 'access-control.properties',
      about: 'switches the rules on',
      text: 'access-control.name=file\nsecurity.config-file=etc/foldgate-rules.json\n',
    },
    {
      path: 'foldgate-rules.json',
      about: 'what each user may do; of each kind, the first rule that matches decides',
      text: linesOf(accessRules(names)),
    },
    {
      path: 'session-property-config.properties',
      about: 'switches the limits on',
      text:
        'session-property-config.configuration-manager=file\n' +
        'session-property-manager.config-file=etc/foldgate-limits.json\n',
    },
    {
      path: 'foldgate-limits.json',
      about: 'limits of one statement of a caller',
      text: json([
        {
          user: callersOf(names),
          sessionProperties: {
            query_max_cpu_time: cpu,
            query_max_execution_time: LONGEST,
            query_max_memory: memory,
            query_max_planning_time: LONGEST_PLANNING,
            query_max_run_time: LONGEST_WITH_QUEUE,
            query_max_scan_physical_bytes: LARGEST_SCAN,
          },
        },
      ]),
    },
    {
      path: 'resource-groups.properties',
      about: 'switches the queues on',
      text:
        'resource-groups.configuration-manager=file\n' +
        'resource-groups.config-file=etc/foldgate-groups.json\n',
    },
    {
      path: 'foldgate-groups.json',
      about: 'one queue for each organization, which take turns, beside one for the service itself',
      text: json(groupsOf(names)),
    },
  ]
}

function groupsOf(names: AccessRuleNames) {
  const organization = {
    name: `\${organization}`,
    softMemoryLimit: '40%',
    hardConcurrencyLimit: 4,
    maxQueued: 20,
  }
  const callers = {
    name: 'callers',
    softMemoryLimit: '80%',
    hardConcurrencyLimit: 16,
    maxQueued: 200,
    schedulingPolicy: 'fair',
    subGroups: [organization],
  }
  const service = { name: 'service', softMemoryLimit: '100%', hardConcurrencyLimit: 32, maxQueued: 1000 }
  const root = { name: 'foldgate', softMemoryLimit: '100%', hardConcurrencyLimit: 48, maxQueued: 1200 }
  return {
    rootGroups: [{ ...root, subGroups: [service, callers] }],
    selectors: [
      { user: literally(names.user), group: 'foldgate.service' },
      {
        user: callersOf(names),
        source: 'foldgate/(?<organization>[0-9a-f]+)',
        group: `foldgate.callers.\${organization}`,
      },
    ],
  }
}

/** One rule a line: with one value a line, nobody would read 3000 of them. */
function linesOf(rules: AccessRules): string {
  const kinds = Object.entries(rules).map(([kind, entries]) => {
    const lines = entries.map(entry => `    ${JSON.stringify(entry)}`)
    return `  ${JSON.stringify(kind)}: [\n${lines.join(',\n')}\n  ]`
  })
  return `{\n${kinds.join(',\n')}\n}\n`
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
