/**
 * One reading of a thing at a time. Who asks while it is being read shares the next reading with all who ask meanwhile: it
 * begins after they asked, so nobody is told less than there was.
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
