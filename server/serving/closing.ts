/** A step of shutting a server down. */
export type Closer = () => unknown

/** Runs the closers, the last one first, each also when one before it fails. Rejects with the first failure. */
export async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers.splice(0).reverse()) {
    try {
      await close()
    } catch (cause) {
      failures.push(cause)
    }
  }
  if (failures.length > 0) throw failures[0]
}
