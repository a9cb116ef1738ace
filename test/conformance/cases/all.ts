import type { Vendor } from '../../service/vendors.js'
import type { Case } from '../entry/case.js'
import type { EnvelopeCase } from '../entry/frame.js'
import { accessCases } from './access.js'
import { answerCases } from './answers.js'
import { describeCases } from './describe.js'
import { envelopeCases } from './envelope.js'
import { exportCases } from './export.js'
import { includeCases } from './include.js'
import { limitCases } from './limits.js'
import { listCases } from './list.js'
import { namedCases } from './named.js'
import { noViewCases } from './no-views.js'

import { parameterCases } from './parameters.js'
import { pinnedCases } from './pinned.js'
import { queryCases } from './query.js'
import { shopQueryCases } from './shop-queries.js'
import { statementCases } from './statements.js'
import { stateCases } from './states.js'
import { viewCases } from './views.js'

/** Every case over the data of a vendor, by subject. */
export function casesOf(vendor: Vendor): Record<string, Case[]> {
  return {
    access: accessCases,
    'projects/list': listCases,
    'projects/describe': describeCases(vendor),
    'projects/query': queryCases(vendor),
    statements: statementCases(vendor),
    'values of parameters': parameterCases(vendor),
    'columns, totals and dry runs': includeCases(vendor),
    'projects/export': exportCases(vendor),
    'points of view': vendor.catalogue.hierarchy ? viewCases : noViewCases,
    'named queries': vendor.catalogue.hierarchy ? namedCases : shopQueryCases,
    states: stateCases(vendor),
    'pinned snapshots': pinnedCases(vendor),
    limits: limitCases(vendor),
  }
}

/** Every case of a JSON-RPC message. */
export const ENVELOPES: readonly EnvelopeCase[] = [...envelopeCases, ...answerCases]
