/** Significant digits of a result: more than any source has. */
const DIGITS = 6

/**
 * Computes a written sum such as `0.75 t/t x 3.5 GJ/t / 1000 kg/t + 2 kg`, so that the arithmetic shown in a
 * row is what was computed. ` + `, ` x ` and ` / ` separate terms (with the blanks: units contain slashes);
 * each term begins with a number, and the words after it are for readers. There are no brackets; products
 * bind more tightly than sums.
 */
export function workOut(how: string): number {
  const sum = how.split(' + ').reduce((total, product) => total + multiply(product), 0)
  return Number(sum.toPrecision(DIGITS))
}

function multiply(product: string): number {
  const [first = '', ...rest] = product.split(/ ([x/]) /)
  let value = leadingNumber(first)
  for (let at = 0; at < rest.length; at += 2) {
    const next = leadingNumber(rest[at + 1] ?? '')
    value = rest[at] === 'x' ? value * next : value / next
  }
  return value
}

function leadingNumber(term: string): number {
  const number = /^\d+(\.\d+)?(e-?\d+)?(?= |$)/.exec(term)
  if (!number) throw new SyntaxError(`"${term}" does not begin with a number`)
  return Number(number[0])
}
