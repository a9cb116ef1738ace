/** What the rules are for. */
export interface AccessRuleNames {
  /** Iceberg catalog that the service has for itself, as in `trinoEngine`. */
  catalog: string
  /** The service's own user. */
  user: string
  /** Begins the names of schemas and users that the service makes. */
  prefix: string
}

const DIGITS = [...'0123456789abcdef']
/** Hexadecimal digits at the end of the name of a schema that callers read. */
const DIGITS_OF_NAME = 16

/** Session properties by which the session property manager limits what callers run. */
export const LIMITING_PROPERTIES = [
  'query_max_cpu_time',
  'query_max_execution_time',
  'query_max_memory',
  'query_max_planning_time',
  'query_max_run_time',
  'query_max_scan_physical_bytes',
] as const

/** Regular expression for the users of points of view, and for the schemas of the same names. */
export function callersOf({ prefix }: AccessRuleNames): string {
  return `${prefix}p_[0-9a-f]{${DIGITS_OF_NAME}}`
}

/** Rules of Trino's file-based access control, by kind; of each kind, the first that matches decides. */
export type AccessRules = Record<string, Record<string, unknown>[]>

/** What the service may do, what users of points of view may do, and that everyone else may do nothing. */
export function accessRules(names: AccessRuleNames): AccessRules {
  const { catalog, user: service } = names
  const [user, callers] = [literally(service), callersOf(names)]
  const tables = ['SELECT', 'INSERT', 'DELETE', 'UPDATE', 'OWNERSHIP', 'GRANT_SELECT']
  const limits = LIMITING_PROPERTIES.join('|')
  return {
    impersonation: [
      { original_user: user, new_user: callers },
      { allow: false, new_user: '.*' },
    ],
    catalogs: [
      { user, catalog: `${literally(catalog)}|system`, allow: 'all' },
      { user: callers, catalog: literally(catalog), allow: 'read-only' },
      { allow: 'none' },
    ],
    schemas: [{ user, catalog: literally(catalog), owner: true }, { owner: false }],
    tables: [
      { user, catalog: `${literally(catalog)}|system`, privileges: tables },
      ...differentNames(names),
      { user: callers, catalog: literally(catalog), schema: callers, privileges: ['SELECT'] },
      { privileges: [] },
    ],
    queries: [
      { user, allow: ['execute', 'kill', 'view'] },
      { user: callers, allow: ['execute'] },
      { allow: [] },
    ],
    functions: [
      { user, privileges: ['EXECUTE', 'GRANT_EXECUTE', 'OWNERSHIP'] },
      { user: callers, catalog: 'system', schema: 'builtin', privileges: ['EXECUTE'] },
      { privileges: [] },
    ],
    procedures: [
      { user, catalog: `${literally(catalog)}|system`, privileges: ['EXECUTE', 'GRANT_EXECUTE'] },
      { privileges: [] },
    ],
    system_session_properties: [
      { user, allow: true },
      // Trino refuses a query if its user may not set what the session property manager sets for it.
      { user: callers, property: limits, allow: true },
      { allow: false },
    ],
    catalog_session_properties: [{ user, catalog: literally(catalog), allow: true }, { allow: false }],
    system_information: [{ allow: [] }],
  }
}

/**
 * Refuses users the schemas whose names are not their own. A rule cannot say that two names are equal, so
 * there is one for each digit at each place: it takes users with that digit there, and schemas with another.
 */
function differentNames({ prefix }: AccessRuleNames): Record<string, unknown>[] {
  const rules: Record<string, unknown>[] = []
  for (let place = 0; place < DIGITS_OF_NAME; place++) {
    const before = `${prefix}p_.{${place}}`
    for (const digit of DIGITS)
      rules.push({ user: `${before}${digit}.*`, schema: `${before}[^${digit}].*`, privileges: [] })
  }
  return rules
}

/** A regular expression that matches a name alone. */
export function literally(name: string): string {
  return name.replace(/[^a-zA-Z0-9_]/g, '\\$&')
}
