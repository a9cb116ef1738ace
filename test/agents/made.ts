import { defineCatalogue, defineTable } from 'foldgate'

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2025, 0, 1)

const LEVELS = ['low', 'medium', 'high']
const KINDS = [
  { kind: 'power', unit: 'kWh' },
  { kind: 'water', unit: 'm3' },
  { kind: 'heat', unit: 'MWh' },
] as const
const CURRENCIES = [
  { currency: 'EUR', rate: 1 },
  { currency: 'CHF', rate: 1.05 },
  { currency: 'GBP', rate: 1.17 },
] as const

export interface Meter {
  meter_id: number
  place: string
  kind: string
  level: string
  capacity: number
}
export interface Reading {
  reading_id: number
  meter_id: number
  taken_at: string
  used: number
  unit: string
}
export interface Payment {
  payment_id: number
  meter_id: number
  reading_id: number | null
  paid_at: string
  amount: number
  currency: string
  eur_rate: number
}
export interface Balance {
  account: string
  day: string
  balance: number
}
export interface Load {
  meter_id: number
  month: string
  load_share: number
}
export interface Tariff {
  tariff: string
  kind: string
  price: number
}

const time = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
const day = (ms: number) => time(ms).slice(0, 10)
const rows = <Row>(count: number, of: (index: number) => Row) => Array.from({ length: count }, (_, index) => of(index))
const of = <Item>(list: readonly Item[], index: number) => list[index % list.length] as Item

/** Twelve meters at four places. Three share the largest capacity. */
const meters: Meter[] = rows(12, index => ({
  meter_id: index + 1,
  place: of(['Mill', 'Yard', 'Quay', 'Loft'], index),
  kind: of(KINDS, index).kind,
  level: of(LEVELS, index + (index >> 2)),
  capacity: index % 5 === 4 || index === 11 ? 950 : 120 + 55 * index,
}))

/** A reading per meter and day of January and February, at hours that go around the clock. */
const readings: Reading[] = rows(59 * meters.length, index => {
  const meter = of(meters, index)
  const since = Math.floor(index / meters.length)
  return {
    reading_id: index + 1,
    meter_id: meter.meter_id,
    taken_at: time(FIRST_DAY + since * DAY_MS + ((7 * index) % 24) * 3_600_000 + 60_000),
    used: 10 * meter.meter_id ** 2 + since,
    unit: of(KINDS, index).unit,
  }
})

/** A payment per meter for each of six months, in the afternoon of the last day; later ones are for no single reading. */
const payments: Payment[] = rows(6 * meters.length, index => {
  const meter = of(meters, index)
  const month = Math.floor(index / meters.length)
  const { currency, rate } = of(CURRENCIES, meter.meter_id)
  return {
    payment_id: index + 1,
    meter_id: meter.meter_id,
    reading_id: month < 2 ? index + 1 : null,
    paid_at: time(Date.UTC(2025, month + 1, 0, 15, 30)),
    amount: 20 + meter.meter_id + month,
    currency,
    eur_rate: rate,
  }
})

/** What three accounts hold at the end of each day of January. */
const balances: Balance[] = rows(3 * 31, index => ({
  account: of(['cash', 'bank', 'deposit'], index),
  day: day(FIRST_DAY + Math.floor(index / 3) * DAY_MS),
  balance: 1000 + 250 * (index % 3) + 10 * Math.floor(index / 3),
}))

/** The load of each meter in three months. */
const loads: Load[] = rows(3 * meters.length, index => ({
  meter_id: of(meters, index).meter_id,
  month: `2025-0${1 + Math.floor(index / meters.length)}-01`,
  load_share: (10 + index) / 100,
}))

/** Four tariffs per kind. The median of the prices of a kind lies between two cents. */
const tariffs: Tariff[] = [0.31, 1.98, 0.13, 0.36, 2.35, 0.11, 0.29, 2.1, 0.15, 0.34, 2.21, 0.12].map(
  (price, index) => ({
    tariff: `T${index + 1}`,
    kind: of(KINDS, index).kind,
    price,
  }),
)

export const made = { meters, readings, payments, balances, loads, tariffs }
export type Made = typeof made

/** The rows as the files that are sealed. */
export const madeFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(made).map(([name, list]) => [`${name}.csv`, toCsv(list)]),
)

function toCsv(list: readonly object[]): string {
  const lines = list.map(row =>
    Object.values(row)
      .map(value => value ?? '')
      .join(','),
  ) // no value has a comma
  return `${[Object.keys(list[0] ?? {}).join(','), ...lines].join('\n')}\n`
}

const METER_ID = { meter_id: 'meters.meter_id' }

/** Meters of a works, what they read, and what is paid: columns for hints that the other catalogues have none for. */
export const madeCatalogue = defineCatalogue({
  relations: [
    defineTable({
      name: 'meters',
      about: 'One meter.',
      columns: {
        meter_id: 'INTEGER',
        place: { type: 'VARCHAR', about: 'Where it hangs' },
        kind: { type: 'VARCHAR', about: 'What it measures' },
        level: { type: 'VARCHAR', about: 'How urgent its repair would be', order: LEVELS },
        capacity: { type: 'INTEGER', about: 'Most that it can measure in an hour, in the unit of its readings' },
      },
      required: ['meter_id', 'place', 'kind', 'level', 'capacity'],
      unique: ['meter_id'],
      values: { kind: KINDS.map(({ kind }) => kind), level: LEVELS },
    }),
    defineTable({
      name: 'readings',
      about: 'One reading of a meter. A meter has one a day.',
      columns: {
        reading_id: 'INTEGER',
        meter_id: 'INTEGER',
        taken_at: { type: 'TIMESTAMP', about: 'When the meter was read, in UTC' },
        used: { type: 'DECIMAL(12,3)', about: 'What was used since the reading before', unit: { column: 'unit' } },
        unit: { type: 'VARCHAR', about: 'Unit of used' },
      },
      required: ['reading_id', 'meter_id', 'taken_at', 'used', 'unit'],
      unique: ['reading_id'],
      references: METER_ID,
      values: { unit: KINDS.map(({ unit }) => unit) },
    }),
    defineTable({
      name: 'payments',
      about: 'One payment for a meter.',
      columns: {
        payment_id: 'INTEGER',
        meter_id: 'INTEGER',
        reading_id: { type: 'INTEGER', about: 'The reading that was paid for; NULL for payments in advance' },
        paid_at: { type: 'TIMESTAMP', about: 'When it was paid, in UTC' },
        amount: { type: 'DECIMAL(10,2)', about: 'What was paid', unit: { column: 'currency' } },
        currency: { type: 'VARCHAR', about: 'Currency of the amount, ISO 4217' },
        eur_rate: { type: 'DECIMAL(8,4)', about: 'EUR for one unit of the currency' },
      },
      required: ['payment_id', 'meter_id', 'paid_at', 'amount', 'currency', 'eur_rate'],
      unique: ['payment_id'],
      references: { ...METER_ID, reading_id: 'readings.reading_id' },
      values: { currency: CURRENCIES.map(({ currency }) => currency) },
    }),
    defineTable({
      name: 'balances',
      about: 'What an account holds at the end of a day. Balances of several days are not added up.',
      columns: {
        account: { type: 'VARCHAR', about: 'Name of the account' },
        day: { type: 'DATE', about: 'The day at whose end it is so' },
        balance: {
          type: 'DECIMAL(12,2)',
          about: 'What is in the account: a stock, not a flow',
          unit: 'EUR',
          additive: { over: ['account'] },
        },
      },
      required: ['account', 'day', 'balance'],
      unique: ['account', 'day'],
    }),
    defineTable({
      name: 'loads',
      about: 'How far a meter was used in a month.',
      columns: {
        meter_id: 'INTEGER',
        month: { type: 'DATE', about: 'First day of the month' },
        load_share: { type: 'DOUBLE', about: 'Share of the capacity that was used, 0 to 1', additive: false },
      },
      required: ['meter_id', 'month', 'load_share'],
      unique: ['meter_id', 'month'],
      references: METER_ID,
    }),
    defineTable({
      name: 'tariffs',
      about: 'A tariff of a supplier.',
      columns: {
        tariff: 'VARCHAR',
        kind: { type: 'VARCHAR', about: 'What is supplied' },
        price: { type: 'DECIMAL(8,2)', about: 'Price of one unit', unit: 'EUR' },
      },
      required: ['tariff', 'kind', 'price'],
      unique: ['tariff'],
      values: { kind: KINDS.map(({ kind }) => kind) },
    }),
  ],
})
