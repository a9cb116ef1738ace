/** Types that a sealed column may have; lists of them are allowed too. */
const TYPES = new Set(
  (
    'BIGINT BIT BLOB BOOL BOOLEAN DATE DECIMAL DOUBLE FLOAT HUGEINT INT INTEGER INTERVAL JSON NUMERIC REAL SMALLINT ' +
    'TEXT TIME TIMESTAMP TIMESTAMPTZ TIMESTAMP_MS TIMESTAMP_NS TIMESTAMP_S TINYINT UBIGINT UHUGEINT UINTEGER USMALLINT ' +
    'UTINYINT UUID VARCHAR'
  ).split(' '),
)
const TYPE = /^(\w+)(?:\((\d{1,2})(?:, ?(\d{1,2}))?\))?(?: WITH TIME ZONE)?(?:\[\d*\])*$/i

/** Whether a value is the name of a type that a sealed column may have. */
export function isType(type: unknown): boolean {
  const [whole, name = '', width, scale] = (typeof type === 'string' && TYPE.exec(type)) || []
  if (whole === undefined || !TYPES.has(name.toUpperCase())) return false
  if (/ WITH TIME ZONE/i.test(whole) && !/^TIME(STAMP)?$/i.test(name)) return false
  if (width === undefined) return true
  return (
    /^(DECIMAL|NUMERIC)$/i.test(name) &&
    Number(width) >= 1 &&
    Number(width) <= 38 &&
    Number(scale ?? 0) <= Number(width)
  )
}
