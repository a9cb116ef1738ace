import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A row as the file has it. */
export type Row = Readonly<Record<string, string>>

/** The tables of a shop, read without an engine. */
export interface Tables {
  customers: Row[]
  products: Row[]
  orders: Row[]
  items: Row[]
  refunds: Row[]
  events: Row[]
}

/** Reads CSV without quotes: no value of the generator contains a comma. */
export async function readTables(folder: string): Promise<Tables> {
  const read = async (name: string): Promise<Row[]> => {
    const [header = '', ...lines] = (await readFile(join(folder, `${name}.csv`), 'utf8')).trimEnd().split('\n')
    const columns = header.split(',')
    return lines.map(line => {
      const values = line.split(',')
      return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? '']))
    })
  }
  return {
    customers: await read('customers'),
    products: await read('products'),
    orders: await read('orders'),
    items: await read('order_items'),
    refunds: await read('refunds'),
    events: await read('events'),
  }
}

/** A decimal without its point: `12.34` is 1234n. */
export const digitsOf = (decimal: string | undefined): bigint => BigInt((decimal ?? '').replace('.', ''))

/** A fraction as a number with so many digits, halves away from zero. */
export function rounded(numerator: bigint, denominator: bigint, digits: number): number {
  const scaled = numerator * 10n ** BigInt(digits)
  const size = scaled < 0n ? -scaled : scaled
  const whole = (2n * size + denominator) / (2n * denominator)
  return Number(scaled < 0n ? -whole : whole) / 10 ** digits
}

/** Cents as an amount. */
export const amount = (cents: bigint): number => Number(cents) / 100

/** Cents of EUR for an amount in the currency of an order. */
export function inEur(cents: bigint, order: Row): bigint {
  return (cents * digitsOf(order.eur_rate) + 5_000n) / 10_000n
}

export function sum<Item>(items: Iterable<Item>, of: (item: Item) => bigint): bigint {
  let total = 0n
  for (const item of items) total += of(item)
  return total
}

/** Items by a key, in the order of their first appearance. */
export function groups<Item>(items: Iterable<Item>, keyOf: (item: Item) => string | undefined): Map<string, Item[]> {
  const found = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item) ?? ''
    const group = found.get(key)
    if (group) group.push(item)
    else found.set(key, [item])
  }
  return found
}
