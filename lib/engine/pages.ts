import type { RowsPage } from './port.js'

const MAX_BYTES = 64 * 1024 ** 2
/** Estimated memory of a page beyond its JSON. */
const OVERHEAD_BYTES = 500

/** Pages in memory, up to 64 MiB; the least recently read are removed first. */
export class PageCache {
  readonly #pages = new Map<string, RowsPage>()
  #bytes = 0

  find(key: string, offset: number, limit: number): RowsPage | undefined {
    const name = nameOf(key, offset, limit)
    const page = this.#pages.get(name)
    if (page) {
      this.#pages.delete(name)
      this.#pages.set(name, page)
    }
    return page
  }

  keep(key: string, offset: number, limit: number, page: RowsPage): void {
    const name = nameOf(key, offset, limit)
    this.#drop(name)
    this.#pages.set(name, page)
    this.#bytes += page.json.byteLength + OVERHEAD_BYTES
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= MAX_BYTES) return
      this.#drop(oldest)
    }
  }

  #drop(name: string): void {
    const page = this.#pages.get(name)
    if (page) this.#bytes -= page.json.byteLength + OVERHEAD_BYTES
    this.#pages.delete(name)
  }
}

function nameOf(key: string, offset: number, limit: number): string {
  return `${key} ${offset} ${limit}`
}
