/**
 * Shares reads between concurrent calls: one read per name at a time. All calls that arrive during a read share the
 * next one, which starts after they arrived, so no caller gets a result older than its call.
 */
export function sharedReading<Value>(read: (name: string) => Promise<Value>): (name: string) => Promise<Value> {
  const readings = new Map<string, { now: Promise<unknown>; next: Promise<Value> | null }>()
  const start = (name: string): Promise<Value> => {
    const reading = read(name)
    const entry: { now: Promise<unknown>; next: Promise<Value> | null } = { now: reading, next: null }
    readings.set(name, entry)
    const done = () => {
      if (!entry.next) readings.delete(name)
    }
    reading.then(done, done)
    return reading
  }
  return name => {
    const entry = readings.get(name)
    if (!entry) return start(name)
    entry.next ??= entry.now.then(
      () => start(name),
      () => start(name),
    )
    return entry.next
  }
}
