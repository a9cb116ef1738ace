/** Handles a failure of the file system: `value` stands for what is not there, anything else is thrown on. */
export function ifMissing<Value>(value: Value): (cause: NodeJS.ErrnoException) => Value {
  return cause => {
    if (cause.code === 'ENOENT') return value
    throw cause
  }
}
