/** Longer names are not compared: the cost grows with the square of the length. */
const LONGEST = 64

/** The candidate closest to a misspelt name, or null when none is close. */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  if (name.length > LONGEST) return null
  const written = name.toLowerCase()
  const names = [...candidates].filter(candidate => /^[\p{L}_]/u.test(candidate))
  let best: string | null = null
  let bestDistance = tolerance(written.length) + 1
  for (const candidate of names) {
    const distance = editDistance(written, candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best ?? names.find(candidate => holdsWords(candidate, written)) ?? null
}

/** Maximum edit distance for a name of this length; a larger one would suggest unrelated names. */
function tolerance(length: number): number {
  return length <= 3 ? 1 : Math.max(2, Math.floor(length / 4))
}

/** Whether the name is the candidate without its first or last words: `risks` for `fold_risks`. */
function holdsWords(candidate: string, name: string): boolean {
  return name.length > 2 && (candidate.endsWith(`_${name}`) || candidate.startsWith(`${name}_`))
}

/**
 * Edit distance, where a swap of adjacent characters is one edit; `limit` when the distance is not below it.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : limit
      next.push(Math.min(substitution, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    if (Math.min(...next, ...row) >= limit) return limit
    before = row
    row = next
  }
  return Math.min(row[b.length] ?? limit, limit)
}
