/**
 * A rejection handler that returns `value` when a file is missing (ENOENT) and rethrows any other failure.
 */
export function ifMissing<Value>(value: Value): (cause: NodeJS.ErrnoException) => Value {
  return cause => {
    if (cause.code === 'ENOENT') return value
    throw cause
  }
}
