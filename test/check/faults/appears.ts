import { readdir } from 'node:fs/promises'

const LOOKS_MS = 20_000

/** Waits until a folder contains a file whose relative path fits, at any depth; returns that path. */
export async function appears(folder: string, fits: (name: string) => boolean): Promise<string> {
  const until = performance.now() + LOOKS_MS
  while (performance.now() < until) {
    const found = (await readdir(folder, { recursive: true }).catch(() => [] as string[])).find(fits)
    if (found !== undefined) return found
  }
  throw new Error('no such file appeared')
}
