import { type Catalogue, defineCatalogue, defineFold, defineQuery, defineRule } from 'foldgate'
import type { CatalogueSubject } from '#contracts/catalogue.js'
import type { Wrong } from './wrong.js'

type Definition = Parameters<typeof defineCatalogue>[0]

const wrong = (
  check: string,
  what: string,
  says: RegExp,
  spoilt: (catalogue: Catalogue) => Partial<Definition>,
): Wrong<CatalogueSubject> => ({
  check,
  what,
  says,
  spoil: ({ catalogue, ...subject }) => {
    const { relations, rules, examples, rowLimits } = catalogue
    const definition = { relations: [...relations.values()], rules, examples, rowLimits, ...spoilt(catalogue) }
    return { ...subject, catalogue: defineCatalogue(definition) }
  },
})

const withFold =
  (sql: string, more: Partial<Parameters<typeof defineFold>[0]> = {}) =>
  (catalogue: Catalogue) => {
    const fold = defineFold({ name: 'added', about: 'A row of the tests.', reads: ['orders'], sql, ...more })
    return { relations: [...catalogue.relations.values(), fold] }
  }

export const wrongCatalogues: Wrong<CatalogueSubject>[] = [
  wrong(
    'has SQL in its folds that the engine accepts',
    'misspells a column',
    /^fold "added": .*"totl"/,
    withFold('SELECT totl FROM orders'),
  ),
  wrong(
    'has in reads what the SQL of a fold names',
    'reads one table and names two',
    /^fold "added": .*"customers".*reads: \['orders', 'customers'\]$/,
    withFold('SELECT country FROM orders JOIN customers USING (customer_id)'),
  ),
  wrong(
    'describes the columns that its folds yield',
    'describes a column that is not there',
    /^fold "added": column 2: columns has tax DOUBLE/,
    withFold('SELECT total FROM orders', { columns: { total: 'DECIMAL(12,2)', tax: 'DOUBLE' } }),
  ),
  wrong('has rules that sealing can enforce', 'has a rule that fails', /^rule 1 \(orders\.total\): .*"totl"/, () => ({
    rules: [defineRule({ table: 'orders', column: 'total', wrong: 'SELECT totl FROM orders', message: 'too much' })],
  })),
  wrong('has examples that callers can run', 'has examples of other tables', /^example 1 .*\nexample 2 /, () => ({
    examples: [
      { question: 'Who?', sql: 'SELECT * FROM people' },
      { question: 'Where?', sql: 'SELECT region FROM orders' },
    ],
  })),
  wrong(
    'has named queries that callers can run, with their parameters and columns',
    'names a parameter that is not declared',
    /^query "of_state@1": its SQL names \$state, which is not in parameters/,
    () => ({
      queries: [
        defineQuery({
          name: 'of_state',
          version: 1,
          about: 'Which orders are in a state?',
          sql: 'SELECT order_id FROM orders WHERE state = $state',
        }),
      ],
    }),
  ),
]
