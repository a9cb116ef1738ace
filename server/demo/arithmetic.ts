/** Digits kept of a worked-out figure: more than any of its sources has. */
const DIGITS = 6

/**
 * The value of a written sum such as `0.75 t/t x 3.5 GJ/t / 1000 kg/t + 2 kg`, so that what a row says of its arithmetic
 * is what was computed. Terms stand between ` + `, ` x ` and ` / ` (the blanks count: units keep their own slashes);
 * each begins with its number, and the words behind it are for readers. No brackets: products bind before sums.
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
