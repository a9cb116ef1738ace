import type { Claim, KnownRelation } from '../../../engine/claim.js'
import { faultIn } from '../../../guard/engine-faults.js'
import { FUNCTIONS } from '../../../guard/inventory.js'
import { checkText, locate, Refusal, SPLIT } from '../../../guard/refusal.js'
import { shapeOf } from '../../../guard/shape.js'
import type { Verdict } from '../../../guard/verdict.js'
import { MAX_GROUPING_SETS } from './bounds.js'
import { claimsOf } from './claims.js'
import { groupingSets, skipBlanks, statementLength } from './lexemes.js'
import { watchNumbers } from './literals.js'
import { lowerAscii } from './shapes.js'
import { type ParserError, syntaxRefusal } from './syntax.js'
import { Walk } from './walk.js'

/** Parses two statements and returns their trees as JSON. */
export type Parse = (texts: [string, string]) => Promise<[string, string]>

/** What statements may name. */
export interface KnownNames {
  /** Relations of the catalogue. */
  relations: Iterable<string>
  /** Functions besides those that are there by default. */
  functions: Iterable<string>
  /** What the catalogue says of relations. Default: nothing. */
  described?: readonly KnownRelation[]
}

/** Positions of nodes. */
const QUERY_LOCATION = /"query_location":\d+/g
/** The parameters of a statement, which the outermost SELECT has. The walk has seen that no name holds a bracket. */
const PARAMETER_MAP = /"named_param_map":\[[^\]]*\]/g
const PROBE = 'SELECT 42'

/**
 * Wraps a statement as the engine runs it. Parsing this form exposes a statement that closes the parenthesis.
 */
export function wrapStatement(statement: string): string {
  return `SELECT * FROM (\n${statement}\n) AS q`
}

/**
 * Opens a check of statements against the rules. The check walks the statement's tree, then compares the tree
 * with that inside the wrapped statement: the two must be equal. `reserved` has the words of the engine that are
 * no names without quotes. The check may be limited to some of the relations: then it treats the others as unknown, and
 * hints name none of their columns.
 */
export async function openCheck(
  names: KnownNames,
  parse: Parse,
  reserved: ReadonlySet<string> = new Set(),
): Promise<(sql: string, readable?: readonly string[]) => Promise<Verdict>> {
  const every = new Set(names.relations)
  const inQuotes = (some: Iterable<string>) =>
    new Set([...some].map(lowerAscii).filter(name => reserved.has(name)))
  const described = new Map((names.described ?? []).map(relation => [relation.name, relation]))
  const columns = [...described.values()].flatMap(relation => Object.keys(relation.columns ?? {}))
  const quoted = inQuotes([...every, ...columns])
  const functions = new Set([...FUNCTIONS, ...names.functions])
  const [probe, wrappedProbe] = await parse([PROBE, wrapStatement(PROBE)])
  const frame = strip(wrappedProbe).split(inside(probe))
  return async (sql, readable) => {
    const relations = readable ? new Set(readable.filter(name => every.has(name))) : every
    try {
      checkText(sql)
      const length = statementLength(sql)
      if (skipBlanks(sql, length, ';') < sql.length) throw SEVERAL
      const statement = sql.slice(0, length)
      if (groupingSets(statement) > MAX_GROUPING_SETS) throw TOO_MANY_SETS
      const [tree, wrapped] = await parseOrRefuse(parse, [statement, wrapStatement(statement)])
      const walk = new Walk(relations, functions)
      const parsed = readStatement(statement, tree, readable ? inQuotes(relations) : quoted)
      const shape = shapeOf(statement)
      let anyNumbers = shape !== null
      if (shape !== null)
        watchNumbers(parsed, shape, () => {
          anyNumbers = false
        })
      walk.statement(parsed)
      const fault = faultIn([parsed])
      if (fault) throw new Refusal({ rule: 'construct', ...fault })
      if (strip(wrapped) !== frame.join(inside(tree)))
        throw new Refusal({
          rule: 'one-select',
          message: 'The statement does not stand on its own.',
          hint: ONE_SELECT,
        })
      const named = new Map([...described].filter(([name]) => walk.relations.has(name)))
      const claims = claimsIn(parsed, named)
      return {
        ok: true,
        relations: [...walk.relations],
        parameters: walk.parameters.names,
        volatile: walk.volatile,
        anyNumbers,
        length,
        claims,
      }
    } catch (cause) {
      if (cause instanceof Refusal) return refusedVerdict(sql, cause)
      throw cause
    }
  }
}

/** The claims of a statement, which is no worse for one that cannot be made. */
function claimsIn(parsed: unknown, relations: ReadonlyMap<string, KnownRelation>): Claim[] {
  try {
    return claimsOf(parsed, relations)
  } catch {
    return []
  }
}

async function parseOrRefuse(parse: Parse, texts: [string, string]): Promise<[string, string]> {
  try {
    return await parse(texts)
  } catch {
    throw new Refusal({ rule: 'complexity', message: 'The statement is too large to be read.', ...SPLIT })
  }
}

const SEVERAL = new Refusal({
  rule: 'one-select',
  message: 'There is more than one statement.',
  hint: 'Send one SELECT per call.',
})
const TOO_MANY_SETS = new Refusal({
  rule: 'complexity',
  message: `CUBE, ROLLUP and GROUPING SETS make more than ${MAX_GROUPING_SETS} grouping sets.`,
  hint: 'Write the sets that you need: GROUPING SETS ((a, b), (a), ()).',
})
const ONE_SELECT = 'Send one SELECT, without a second statement or a parenthesis left open.'

function refusedVerdict(sql: string, refusal: Refusal): Verdict {
  const { offset, ...detail } = refusal.detail
  return { ok: false, ...detail, ...(offset === undefined ? {} : locate(sql, offset)) }
}

interface Parsed extends ParserError {
  error: boolean
  statements?: unknown[]
}

function readStatement(sql: string, tree: string, quoted: ReadonlySet<string>): unknown {
  const parsed = readJson(tree)
  if (parsed.error !== false) throw syntaxRefusal(sql, parsed, quoted)
  const [statement, ...more] = parsed.statements ?? []
  if (statement === undefined)
    throw new Refusal({
      rule: 'one-select',
      message: 'There is no statement in the text.',
      hint: 'Write one SELECT.',
    })
  if (more.length > 0) throw SEVERAL
  return statement
}

function readJson(tree: string): Parsed {
  try {
    return JSON.parse(tree) as Parsed
  } catch {
    // The parser writes numbers that are not valid JSON, such as Infinity for 1e400.
    throw new Refusal({ rule: 'syntax', message: 'A number in the statement is out of range.' })
  }
}

/** The tree of the single statement, without the JSON around it. */
function inside(tree: string): string {
  return strip(tree).slice('{"error":false,"statements":['.length, -']}'.length)
}

/** Removes what differs between a statement and its wrapped form. */
function strip(tree: string): string {
  return tree.replace(QUERY_LOCATION, '').replace(PARAMETER_MAP, '"named_param_map":[]')
}

/** Parses all texts of one turn together; if that fails, one by one, so that only those at fault fail. */
export function parsingTogether(parseAll: (texts: readonly string[]) => Promise<string[]>): Parse {
  type Pair = [string, string]
  let waiting: { texts: Pair; resolve(trees: Pair): void; reject(cause: unknown): void }[] = []
  const parse = async () => {
    const asked = waiting
    waiting = []
    try {
      const trees = await parseAll(asked.flatMap(({ texts }) => texts))
      for (const [index, { resolve }] of asked.entries())
        resolve(trees.slice(2 * index, 2 * index + 2) as Pair)
    } catch (cause) {
      const [first, ...more] = asked
      if (more.length === 0) first?.reject(cause)
      else
        for (const { texts, resolve, reject } of asked)
          await parseAll(texts).then(own => resolve(own as Pair), reject)
    }
  }
  return texts =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(() => void parse())
      waiting.push({ texts, resolve, reject })
    })
}
