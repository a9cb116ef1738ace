/**
 * The weights of a header such as `Accept` or `Accept-Encoding` (RFC 9110, 12.4.2), by name in lower case.
 */
export function weightsOf(header: string | null): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const each of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...params] = each.split(';').map(part => part.trim())
    const weight = params.find(param => param.startsWith('q=')) ?? 'q=1'
    weights.set(name, Number(weight.slice(2)) || 0)
  }
  return weights
}

/**
 * Whether an `Accept` header prefers CSV to JSON. Generated clients accept every type of a method, which is
 * JSON then.
 */
export function prefersCsv(accepted: string | null): boolean {
  const weights = weightsOf(accepted)
  const csv = weights.get('text/csv') ?? 0
  const json = weights.get('application/json')
  if (json !== undefined) return csv > json
  return csv > 0 && csv >= (weights.get('application/*') ?? weights.get('*/*') ?? 0)
}

/** Whether an `If-None-Match` header names an ETag, which RFC 9110 (13.1.2) has compared weakly. */
export function names(known: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return known.split(',').some(tag => opaque(tag) === opaque(etag))
}
