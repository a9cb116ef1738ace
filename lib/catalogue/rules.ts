/** A rule about the values of a column that `references`, `ranges` and `values` cannot express. */
export interface CatalogueRule {
  /** Table that the rule is about. */
  table: string
  /** Column that the values come from. */
  column: string
  /** Other tables that `wrong` names. The rule is not checked in a package that lacks one of them. */
  reads: readonly string[]
  /** One SELECT over these tables that returns one column: the value of each row that breaks the rule. */
  wrong: string
  /** Completes the sentence that begins with the values and "is", such as `not the unit of its sector`. */
  message: string
  /** Whether the package is sealed all the same, with a warning in its manifest. */
  isWarning: boolean
}

/**
 * Defines a rule for `defineCatalogue`, which sealing enforces.
 *
 * @param rule - The column, and the SELECT that finds the rows which break the rule.
 * @returns The rule, with defaults in place of what was left out. `defineCatalogue` refuses mistakes.
 *
 * @example
 * ```ts
 * const units = defineRule({
 *   table: 'activities',
 *   column: 'unit',
 *   reads: ['sectors'],
 *   wrong: 'SELECT a.unit FROM activities a JOIN sectors s USING (sector_code) WHERE a.unit <> s.unit',
 *   message: 'not the unit of its sector',
 * })
 * ```
 *
 * @example
 * A rule that does not keep a package from being sealed: what breaks it is a warning.
 * ```ts
 * const sizes = defineRule({
 *   table: 'sites',
 *   column: 'site_key',
 *   wrong: 'SELECT site_key FROM sites WHERE hectares > 1e6',
 *   message: 'larger than any site known',
 *   isWarning: true,
 * })
 * ```
 */
export function defineRule(rule: {
  /** Table that the rule is about. */
  table: string
  /** Column that the values come from. */
  column: string
  /** Other tables that `wrong` names. Default: none. */
  reads?: readonly string[]
  /** One SELECT over these tables that returns one column: the value of each row that breaks the rule. */
  wrong: string
  /** Completes the sentence that begins with the values and "is", such as `not the unit of its sector`. */
  message: string
  /** Whether the package is sealed all the same, with a warning in its manifest. Default: false. */
  isWarning?: boolean
}): CatalogueRule {
  return { reads: [], isWarning: false, ...rule }
}
