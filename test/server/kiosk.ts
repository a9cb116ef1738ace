import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Catalogue, defineCatalogue, defineFold, defineTable, type TableDefinition } from 'foldgate'

/** A kiosk: a small catalogue without a tree of ownership. */
export const kiosk = defineCatalogue({
  relations: [
    defineTable({
      name: 'customers',
      about: 'A customer, who may have never ordered.',
      columns: { customer_id: 'BIGINT', country: { type: 'VARCHAR', about: 'ISO 3166-1 alpha-3 code' } },
      unique: ['customer_id'],
    }),
    defineTable({
      name: 'orders',
      about: 'An order of a customer, paid or not.',
      columns: {
        order_id: 'BIGINT',
        customer_id: 'BIGINT',
        placed_on: 'DATE',
        total: { type: 'DECIMAL(12,2)', about: 'What the customer paid, taxes included', unit: 'EUR' },
        state: 'VARCHAR',
      },
      required: ['order_id', 'customer_id'],
      unique: ['order_id'],
      references: { customer_id: 'customers.customer_id' },
      values: { state: ['open', 'paid', 'cancelled'] },
    }),
    defineFold({
      name: 'revenue',
      about: 'One country, with what its customers paid.',
      columns: { country: 'VARCHAR', revenue: { type: 'DECIMAL(38,2)', about: 'Sum of paid orders', unit: 'EUR' } },
      reads: ['orders', 'customers'],
      sql: `SELECT c.country, sum(o.total) AS revenue FROM orders o JOIN customers c USING (customer_id)
            WHERE o.state = 'paid' GROUP BY c.country ORDER BY c.country`,
    }),
  ],
  examples: [
    {
      question: 'Which country pays most?',
      sql: 'SELECT country, revenue FROM revenue ORDER BY revenue DESC, country',
    },
  ],
})

/** Three orders of two customers: KEN has paid 30.50, PER has paid 12.00 and has an open order. */
export const KIOSK = {
  'customers.csv': 'customer_id,country\n1,KEN\n2,PER\n',
  'orders.csv': `order_id,customer_id,placed_on,total,state
1,1,2026-01-02,30.50,paid
2,2,2026-01-03,12.00,paid
3,2,2026-02-01,99.00,open
`,
}

const WAYS: Readonly<Record<string, TableDefinition['rowLimits']>> = {
  customers: { country: 'country' },
  orders: { country: { through: 'customer_id' } },
}

/** The kiosk, whose rows are limited by the country of the customer. */
export function limitedKiosk(): Catalogue {
  const relations = [...kiosk.relations.values()].map(each => {
    const rowLimits = each.kind === 'table' ? WAYS[each.name] : undefined
    return rowLimits ? ({ ...each, rowLimits } as TableDefinition) : each
  })
  return defineCatalogue({ relations, examples: kiosk.examples, rowLimits: { country: { type: 'VARCHAR' } } })
}

let written = 0

/** Writes a catalogue as a module that imports nothing, as if another copy of the library had made it; returns its path. */
export async function writeCatalogue(folder: string, { relations, ...rest }: Catalogue = kiosk): Promise<string> {
  const path = join(folder, `written-${++written}.mjs`)
  const lines = [
    `const relations = new Map(${JSON.stringify([...relations])})`,
    `export default { ...${JSON.stringify(rest)}, relations }`,
  ]
  await writeFile(path, `${lines.join('\n')}\n`)
  return path
}

/** Writes the tables of a kiosk, with these in place of some. */
export async function writeKiosk(folder: string, tables: Readonly<Record<string, string>> = {}): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries({ ...KIOSK, ...tables })) await writeFile(join(folder, name), text)
}
