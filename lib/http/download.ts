import type { Admission } from '../call/admission.js'
import { limitsDigest, mayDownload, mayRead } from '../call/caller.js'
import type { BegunExport } from '../call/port-calls.js'
import { askedNothing } from '../call/running.js'
import { AnalyticsError } from '../errors.js'
import { FORMATS } from '../exports/formats.js'
import { type LinkContents, ownerDigest, readLink } from '../exports/link.js'
import type { Core } from '../methods/method.js'
import type { Caller } from '../ports.js'
import type { HttpAnswer, HttpRequest } from './exchange.js'

/** Answers GET or HEAD of an exported file. Throws UNAUTHENTICATED, NOT_FOUND or LINK_EXPIRED. */
export async function download(
  core: Core,
  admission: Admission,
  request: HttpRequest,
  token: string,
): Promise<HttpAnswer> {
  const startedAt = performance.now()
  const { signal } = request
  const caller = await admission.authenticate({ authorization: request.header('authorization'), signal })
  const link = readLink(core.signer, token)
  const isOwn = link?.owner === ownerDigest(caller.ownerId)
  const project = isOwn ? await core.ports.projects.find(link.projectId, signal) : null
  if (!link || !project || !mayRead(caller, project) || !mayOpen(caller, link)) throw notFound()
  const now = core.clock.now()
  if (now > link.expiresAt + core.limits.linkMemoryMs) throw notFound()
  if (now > link.expiresAt)
    throw new AnalyticsError(
      'LINK_EXPIRED',
      'The link has expired. Call projects/export again for a new one.',
    )
  const stored = await core.ports.exports.open(link.exportId, signal)
  if (!stored) throw notFound()
  const headers = {
    ...fileHeaders(link, project.name, link.expiresAt - core.limits.linkValidityMs),
    'content-length': String(stored.bytes),
  }
  if (request.method === 'HEAD') return { status: 200, headers, body: null }
  // Read the first bytes before the status is sent: a storage that fails here is UNAVAILABLE, not a truncated
  // file.
  const body = deliver(await stored.begin(signal), stored.bytes)
  const { projectId, organization } = project
  const { exportId } = link
  const asked = { ...askedNothing('download'), projectId, organization, exportId }
  admission.downloaded({ caller, startedAt, asked }, stored.bytes)
  return { status: 200, headers, body }
}

/** A key with limits opens what keys with the same limits have exported: a wider one may have exported more. */
function mayOpen(caller: Caller, link: LinkContents): boolean {
  const limits = limitsDigest(caller)
  return mayDownload(caller) && (limits === null || limits === link.limits)
}

function notFound(): AnalyticsError {
  return new AnalyticsError('NOT_FOUND', 'There is no export behind this link for this key.')
}

function fileHeaders(
  { format }: LinkContents,
  projectName: string,
  calledAt: number,
): Record<string, string> {
  const { type, extension } = FORMATS[format]
  const slug = projectName
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()
  const time = new Date(calledAt).toISOString().slice(0, 19).replaceAll(':', '')
  return {
    'content-type': type,
    'content-disposition': `attachment; filename="${slug.slice(0, 60) || 'export'}-${time}.${extension}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  }
}

/** Streams the file from its first bytes on, and fails at the end if its size is wrong. */
function deliver({ first, reader }: BegunExport, bytes: number): ReadableStream<Uint8Array> {
  let sent = 0
  const pass = (
    controller: ReadableStreamDefaultController<Uint8Array>,
    { done, value }: BegunExport['first'],
  ) => {
    sent += value?.byteLength ?? 0
    if (value) controller.enqueue(value)
    if (done && sent !== bytes) controller.error(new Error('the stored file is shorter than it was'))
    else if (done) controller.close()
  }
  return new ReadableStream<Uint8Array>({
    start: controller => pass(controller, first),
    pull: async controller => pass(controller, await reader.read()),
    cancel: reason => reader.cancel(reason),
  })
}
