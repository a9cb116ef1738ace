import { AssertionError } from 'node:assert'
import type { Catalogue } from 'foldgate'
import type { GuardSettings } from 'foldgate/internal'
import { type FoundProblem, findProblems, type ProblemKind } from 'foldgate/internal'
import { type Check, type ContractOptions, within } from './contract.js'

/** A catalogue to check. */
export interface CatalogueSubject {
  /** The catalogue. */
  catalogue: Catalogue
  /** What the check of statements accepts, as given to `duckdbEngine`. Default: its defaults. */
  guard?: GuardSettings
  /** Folder for scratch files. Default: the temporary folder of the system. */
  folder?: string
  /** Frees what the subject needs. Called after the check. */
  close?(): Promise<void> | void
}

/** Time after which the check of a catalogue counts as hanging, by default: it starts processes. */
const PATIENCE_MS = 60_000

/** What a catalogue must do, and the kind of problem that it has otherwise. */
const CHECKS: Readonly<Record<string, ProblemKind>> = {
  'has SQL in its folds that the engine accepts': 'sql',
  'has in reads what the SQL of a fold names': 'reads',
  'describes the columns that its folds yield': 'columns',
  'has rules that sealing can enforce': 'rule',
  'has examples that callers can run': 'example',
  'has named queries that callers can run, with their parameters and columns': 'query',
}

/**
 * Returns the checks that a catalogue must pass, which are those of `checkCatalogue`: one for each kind of mistake. A
 * check that fails names the place of every such mistake. Each check makes its own subject with `makeSubject` when it
 * runs; a catalogue that several of them are given is built once.
 *
 * @param makeSubject - Makes `{ catalogue }`, with the `guard` that `duckdbEngine` is given, if any.
 * @param options - How long the check of a catalogue may take: `patienceMs`, default 60,000 ms.
 * @returns The checks, to be registered with a test runner. `run` rejects with an error that says what the subject did
 * and what it should do.
 *
 * @example
 * ```ts
 * for (const { name, run } of catalogueContract(() => ({ catalogue }))) it(name, run)
 * ```
 */
export function catalogueContract(
  makeSubject: () => CatalogueSubject | Promise<CatalogueSubject>,
  { patienceMs = PATIENCE_MS }: ContractOptions = {},
): Check[] {
  const found = new WeakMap<Catalogue, Promise<FoundProblem[]>>()
  const problemsOf = ({ catalogue, ...options }: CatalogueSubject) => {
    const problems = found.get(catalogue) ?? findProblems(catalogue, options)
    found.set(catalogue, problems)
    return within(patienceMs, 'the check of the catalogue', problems)
  }
  return Object.entries(CHECKS).map(([name, kind]) => ({
    name,
    async run() {
      const { close, ...subject } = await makeSubject()
      try {
        const problems = (await problemsOf(subject)).filter(problem => problem.kind === kind)
        const lines = problems.map(({ place, message }) => `${place}: ${message}`)
        if (lines.length > 0) throw new AssertionError({ message: lines.join('\n') })
      } finally {
        await close?.()
      }
    },
  }))
}
