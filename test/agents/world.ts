import { mcpEndpoint } from 'foldgate/mcp'
import reference from '#assessed/catalogue.js'
import { type Service, startService } from '../service/service.js'
import { shop } from '../service/shop.js'
import { readDemo } from './demo.js'
import { made, madeCatalogue, madeFiles } from './made.js'
import type { GoldenRow, Question } from './question.js'
import { assessedQuestions } from './questions/assessed.js'
import { meterQuestions } from './questions/meters.js'
import { paymentQuestions } from './questions/payments.js'
import { sellingQuestions } from './questions/selling.js'
import { viewQuestions } from './questions/views.js'
import { visitQuestions } from './questions/visits.js'
import { readShop } from './shop.js'

export type Over = 'demo' | 'shop' | 'made'

/** A question with the catalogue that it is over, and its rows. */
export interface Asked extends Omit<Question<never>, 'golden'> {
  over: Over
  golden: readonly GoldenRow[]
}

/** Three services, each with a server of MCP, and the questions over them. */
export interface World {
  services: Readonly<Record<Over, Service>>
  questions: readonly Asked[]
  close(): Promise<void>
}

/** Seals the rows of the three catalogues, and serves them. */
export async function openWorld(): Promise<World> {
  const [demo, goods] = await Promise.all([readDemo(), readShop()])
  const mcp = mcpEndpoint()
  const started = await Promise.all([
    startService({ catalogue: reference, files: demo.files, mcp }),
    startService({ catalogue: shop, files: goods.files, mcp }),
    startService({ catalogue: madeCatalogue, files: madeFiles, mcp }),
  ])
  const [first, second, third] = started
  const ask = <Data>(over: Over, data: Data, questions: readonly Question<Data>[]): Asked[] =>
    questions.map(({ golden, ...question }) => ({ ...question, over, golden: golden(data) }))
  return {
    services: { demo: first, shop: second, made: third },
    questions: [
      ...ask('demo', demo.worked, [...assessedQuestions, ...viewQuestions]),
      ...ask('shop', goods.tables, [...sellingQuestions, ...visitQuestions]),
      ...ask('made', made, [...meterQuestions, ...paymentQuestions]),
    ],
    close: async () => {
      await Promise.all(started.map(service => service.close()))
    },
  }
}
