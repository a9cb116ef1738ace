import type { Case } from '../entry/case.js'
import type { EnvelopeCase } from '../entry/frame.js'
import { accessCases } from './access.js'
import { answerCases } from './answers.js'
import { describeCases } from './describe.js'
import { envelopeCases } from './envelope.js'
import { exportCases } from './export.js'
import { limitCases } from './limits.js'
import { listCases } from './list.js'
import { queryCases } from './query.js'
import { statementCases } from './statements.js'
import { stateCases } from './states.js'

/** Every case, by subject. */
export const CASES: Record<string, Case[]> = {
  access: accessCases,
  'projects/list': listCases,
  'projects/describe': describeCases,
  'projects/query': queryCases,
  statements: statementCases,
  'projects/export': exportCases,
  states: stateCases,
  limits: limitCases,
}
/** Every case. */
export const ALL = Object.values(CASES).flat()
/** Every case of a JSON-RPC message. */
export const ENVELOPES: readonly EnvelopeCase[] = [...envelopeCases, ...answerCases]
