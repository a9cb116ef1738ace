import { rm, stat } from 'node:fs/promises'
import type { Connection } from './duckdb.js'

const WATCH_EVERY_MS = 50

/**
 * Runs `write` and returns its value and the size of its file, or null when the file passes `maxBytes`. A
 * check every 50 ms then interrupts the connection. The file is removed in that case and after any failure.
 */
export async function writeBounded<Value>(
  connection: Connection,
  file: { path: string; maxBytes: number },
  write: () => Promise<Value>,
): Promise<{ value: Value; bytes: number } | null> {
  const { path, maxBytes } = file
  let tooLarge = false
  const watch = setInterval(async () => {
    tooLarge ||= (await sizeOf(path)) > maxBytes
    if (tooLarge) connection.interrupt()
  }, WATCH_EVERY_MS)
  try {
    const value = await write()
    const bytes = await sizeOf(path)
    if (!tooLarge && bytes <= maxBytes) return { value, bytes }
  } catch (cause) {
    if (!tooLarge) {
      await rm(path, { recursive: true, force: true })
      throw cause
    }
  } finally {
    clearInterval(watch)
  }
  await rm(path, { recursive: true, force: true })
  return null
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}
