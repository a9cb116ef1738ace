import { hash } from 'node:crypto'
import { JsonList } from '../call/json-parts.js'
import { LIBRARY_VERSION } from '../call/paths-and-headers.js'
import type { Signer } from '../call/signer.js'
import type { Engine } from '../engine/port.js'
import type { Entry, MethodOutcome, PageIdentity } from '../methods/method.js'
import type { Snapshot } from '../snapshots/manifest.js'
import { rowsAsCsv } from '../values/rows-as-csv.js'
import type { HttpRequest } from './exchange.js'
import { names, prefersCsv } from './headers.js'

const TAG_LENGTH = 24

/** What REST makes of a page of rows: an ETag, no body for a caller who has the page, and CSV on request. */
export class RestPage implements Entry {
  /** The ETag of the page; undefined for a result that has none. */
  etag: string | undefined
  /** Whether the caller has the page already. */
  isKnown = false
  /** The rows as CSV, if the request prefers it. */
  csv: Uint8Array | undefined
  readonly #signer: Signer
  readonly #asksFor: string
  readonly #prefersCsv: boolean

  constructor(signer: Signer, request: HttpRequest) {
    this.#signer = signer
    this.#asksFor = request.header('if-none-match') ?? ''
    this.#prefersCsv = prefersCsv(request.header('accept'))
  }

  has(page: PageIdentity): boolean {
    this.etag = `W/"${this.#tagOf(page)}"` // weak, since the bytes differ by content coding
    this.isKnown = names(this.#asksFor, this.etag)
    return this.isKnown
  }

  encode({ result, columns }: MethodOutcome): Uint8Array | undefined {
    const { items } = result as { items?: unknown }
    if (this.#prefersCsv && items instanceof JsonList) this.csv = rowsAsCsv(items.members, columns)
    return this.csv
  }

  /**
   * Digest of everything that the body depends on: the rows of the snapshot, the code that writes them, the
   * range, and the format. No caller can forge one: a digest that only this service can compute goes into it.
   */
  #tagOf({ snapshot, engine, query, offset, limit, pageBytes }: PageIdentity): string {
    const content = contentOf(this.#signer, engine, snapshot)
    const tag = [content, engine.version, query, offset, limit, pageBytes, this.#prefersCsv].join(' ')
    return hash('sha256', tag, 'base64url').slice(0, TAG_LENGTH)
  }
}

/**
 * By engine and snapshot, each of which belongs to one service. Without it, a page would take a third longer.
 */
const contents = new WeakMap<Engine, WeakMap<Snapshot, string>>()

/**
 * Signed digest of a snapshot: of its id, its files, the relations that the catalogue makes of them, and this
 * code.
 */
function contentOf(signer: Signer, engine: Engine, snapshot: Snapshot): string {
  const ofEngine = contents.get(engine) ?? new WeakMap<Snapshot, string>()
  contents.set(engine, ofEngine)
  const known = ofEngine.get(snapshot)
  if (known !== undefined) return known
  const content = signer.digest('page', [LIBRARY_VERSION, snapshot.snapshotId, engine.digests(snapshot)])
  ofEngine.set(snapshot, content)
  return content
}
