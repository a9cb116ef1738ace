import { groupBy, total } from '../../server/data/group.js'
import type { Made } from '../made.js'
import type { Question } from '../question.js'

const euros = (payments: Made['payments']) => total(payments, ({ amount, eur_rate: rate }) => amount * rate)
const ofMeters = (payments: Made['payments']) => groupBy(payments, payment => payment.meter_id)

/** Questions about payments, balances and tariffs. */
export const paymentQuestions: readonly Question<Made>[] = [
  {
    id: 'mean-payment',
    question: 'How much is a payment on average, in EUR?',
    careful: 'SELECT avg(amount * eur_rate) AS eur FROM payments',
    hurried: 'SELECT avg(amount) AS eur FROM payments',
    kind: 'unit',
    golden: ({ payments }) => [[euros(payments) / payments.length]],
  },
  {
    id: 'paid-until-march',
    question: 'How many payments came until the end of March 2025?',
    careful: "SELECT count(*) AS payments FROM payments WHERE paid_at < TIMESTAMP '2025-04-01 00:00:00'",
    hurried: "SELECT count(*) AS payments FROM payments WHERE paid_at <= '2025-03-31'",
    kind: 'midnight',
    golden: ({ payments }) => [[payments.filter(({ paid_at: at }) => at < '2025-04').length]],
  },
  {
    id: 'paid-and-used',
    question: 'What was paid in EUR for each meter whose payments are in EUR, and how often was it read?',
    careful: `SELECT p.meter_id, p.paid, r.readings
FROM (SELECT meter_id, sum(amount) AS paid FROM payments WHERE currency = 'EUR' GROUP BY meter_id) p
JOIN (SELECT meter_id, count(*) AS readings FROM readings GROUP BY meter_id) r USING (meter_id) ORDER BY p.meter_id`,
    hurried: `SELECT p.meter_id, sum(p.amount) AS paid, count(r.reading_id) AS readings
FROM payments p JOIN readings r ON r.meter_id = p.meter_id WHERE p.currency = 'EUR'
GROUP BY p.meter_id ORDER BY p.meter_id`,
    kind: 'join',
    golden: ({ payments, readings }) =>
      [...ofMeters(payments.filter(({ currency }) => currency === 'EUR'))].map(([id, own]) => [
        id,
        total(own, ({ amount }) => amount),
        readings.filter(reading => reading.meter_id === id).length,
      ]),
  },
  {
    id: 'unpaid-readings',
    question: 'How many readings did nobody pay for?',
    careful: `SELECT count(*) AS readings FROM readings
WHERE reading_id NOT IN (SELECT reading_id FROM payments WHERE reading_id IS NOT NULL)`,
    hurried: 'SELECT count(*) AS readings FROM readings WHERE reading_id NOT IN (SELECT reading_id FROM payments)',
    kind: 'null',
    golden: ({ readings, payments }) => {
      const paid = new Set(payments.map(payment => payment.reading_id))
      return [[readings.filter(reading => !paid.has(reading.reading_id)).length]]
    },
  },
  {
    id: 'balance-of-january',
    question: 'What did all accounts hold together at the end of January 2025, in EUR?',
    careful: "SELECT sum(balance) AS eur FROM balances WHERE day = DATE '2025-01-31'",
    hurried: 'SELECT sum(balance) AS eur FROM balances',
    kind: 'additive',
    golden: ({ balances }) => [
      [
        total(
          balances.filter(({ day }) => day === '2025-01-31'),
          ({ balance }) => balance,
        ),
      ],
    ],
  },
  {
    id: 'dear-tariffs',
    question: 'Which tariffs for power cost more than 30 cents per unit?',
    careful: "SELECT tariff FROM tariffs WHERE kind = 'power' AND price > 0.30 ORDER BY tariff",
    hurried: "SELECT tariff FROM tariffs WHERE kind = 'power' AND price > 30 ORDER BY tariff",
    kind: 'range',
    golden: ({ tariffs }) =>
      tariffs.filter(({ kind, price }) => kind === 'power' && price > 0.3).map(({ tariff }) => [tariff]),
  },
  {
    id: 'median-price',
    question: 'What is the median of the prices of each kind of tariff, exactly?',
    careful: 'SELECT kind, median(price::DOUBLE) AS price FROM tariffs GROUP BY kind ORDER BY kind',
    hurried: 'SELECT kind, median(price) AS price FROM tariffs GROUP BY kind ORDER BY kind',
    kind: 'truncation',
    // Of 0.29, 0.31, 0.34, 0.36; of 1.98, 2.10, 2.21, 2.35; and of 0.11, 0.12, 0.13, 0.15.
    golden: () => [
      ['heat', 0.125],
      ['power', 0.325],
      ['water', 2.155],
    ],
  },
]
