import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Filler } from './filler.js'

const BUCKET = 'bench'
const PREFIX = 'service/'
const PAGE = 1_000
/** When all objects were written: long enough ago that none is taken for one of a snapshot being published. */
const MADE_AT = '2026-01-01T00:00:00.000Z'

/**
 * A server of S3 in this process, with one bucket in memory. With a filler, it also lists the objects of many
 * snapshots, which exist only in its listings.
 */
export class FakeBucket {
  /** Requests by kind. */
  readonly requests = new Map<string, number>()
  filler: Filler | null = null
  readonly #objects = new Map<string, Buffer>()
  #sorted: string[] | null = null
  readonly #server = createServer((request, response) => {
    this.#take(request, response).catch(() => response.destroy())
  })

  static async open(): Promise<FakeBucket> {
    const bucket = new FakeBucket()
    await once(bucket.#server.listen(0, '127.0.0.1'), 'listening')
    return bucket
  }

  /** The setting of a service that keeps its snapshots here. */
  readonly shared = `s3://${BUCKET}/${PREFIX.slice(0, -1)}`

  /** The variables with which a process reaches it. */
  get environment(): Record<string, string> {
    return {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
    }
  }

  /** The keys of the objects in memory, without the prefix, in order. */
  get keys(): readonly string[] {
    this.#sorted ??= [...this.#objects.keys()].sort()
    return this.#sorted
  }

  close(): void {
    this.#server.close().closeAllConnections()
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: asked } = new URL(request.url ?? '', 'http://bucket')
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/')).slice(PREFIX.length)
    const kind = this.#kindOf(request.method ?? '', key, asked)
    this.requests.set(kind, (this.requests.get(kind) ?? 0) + 1)
    const body = await buffer(request)
    const found = this.#objects.get(key) ?? this.filler?.read(key, name => this.#objects.get(name))
    response.setHeader('Content-Type', 'application/xml')
    if (asked.has('uploads'))
      response.end('<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>')
    else if (asked.has('list-type')) response.end(this.#list(asked))
    else if (request.method === 'PUT') {
      if (found && request.headers['if-none-match'] === '*') return refuse(response, 412, 'PreconditionFailed')
      if (request.headers['content-encoding'] === 'aws-chunked') return refuse(response, 501, 'NotImplemented')
      this.#objects.set(key, body)
      this.#sorted = null
      response.end()
    } else if (request.method === 'DELETE') {
      if (this.#objects.delete(key)) this.#sorted = null
      response.writeHead(204).end()
    } else if (!found) refuse(response, 404, 'NoSuchKey')
    else {
      const head = { 'Content-Length': found.length, 'Last-Modified': new Date(MADE_AT).toUTCString(), ETag: '"x"' }
      response.writeHead(200, head).end(request.method === 'HEAD' ? undefined : found)
    }
  }

  #kindOf(method: string, key: string, asked: URLSearchParams): string {
    if (asked.has('uploads')) return 'LIST of uploads'
    if (!asked.has('list-type')) return `${method} ${key.startsWith('.') ? key : key.split('/')[0]}`
    const [folder, project] = (asked.get('prefix') ?? '').slice(PREFIX.length).split('/')
    return project ? `LIST ${folder} of a project` : `LIST ${folder || 'everything'} of all`
  }

  #list(asked: URLSearchParams): string {
    const prefix = (asked.get('prefix') ?? '').slice(PREFIX.length)
    const after = (asked.get('continuation-token') ?? asked.get('start-after') ?? '').slice(PREFIX.length)
    const most = Math.min(PAGE, Number(asked.get('max-keys') ?? PAGE))
    const found = this.#merged(prefix, after, most + 1)
    const page = found.slice(0, most)
    const listed = page.map(key => {
      const size = `<Size>${this.#objects.get(key)?.length ?? 1_000}</Size>`
      return `<Contents><Key>${PREFIX}${key}</Key><LastModified>${MADE_AT}</LastModified>${size}</Contents>`
    })
    const next = found.length > most ? `<NextContinuationToken>${PREFIX}${page.at(-1)}</NextContinuationToken>` : ''
    const truncated = `<IsTruncated>${found.length > most}</IsTruncated>`
    return `<ListBucketResult>${truncated}${next}${listed.join('')}</ListBucketResult>`
  }

  /** The next keys of the objects and the fillers' objects together, in order. */
  #merged(prefix: string, after: string, most: number): string[] {
    const { keys, filler } = this
    const real = {
      at: firstIn(keys.length, at => isAfter(keys[at] ?? '', prefix, after)),
      key: (at: number) => keys[at],
    }
    const count = filler?.count ?? 0
    const keyAt = (at: number) => (at < count ? filler?.keyAt(at) : undefined)
    const made = { at: firstIn(count, at => isAfter(keyAt(at) ?? '', prefix, after)), key: keyAt }
    const found: string[] = []
    while (found.length < most) {
      const [one, other] = [real.key(real.at), made.key(made.at)]
      const isReal = other === undefined || (one !== undefined && one < other)
      const key = isReal ? one : other
      if (!key?.startsWith(prefix)) break
      found.push(key)
      if (isReal) real.at += 1
      else made.at += 1
    }
    return found
  }
}

function isAfter(key: string, prefix: string, after: string): boolean {
  return key >= prefix && key > after
}

/** The first of `count` places for which this is true, as it is for all after it. */
function firstIn(count: number, isTrue: (at: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isTrue(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' })
  response.end(response.req.method === 'HEAD' ? undefined : `<Error><Code>${code}</Code></Error>`)
}
