import assert from 'node:assert/strict'
import type { Download, Downloaded } from './case.js'
import { bearer, readRest } from './rest.js'

/** Downloads an export. The answer must be the whole file, or a failure in the envelope of REST. */
export async function follow(
  { url, bytes }: { url: string; bytes: number },
  { verb = 'GET', key = null, range, link }: Download,
): Promise<Downloaded> {
  const headers = { ...bearer(key), ...(range === undefined ? {} : { range }) }
  const response = await fetch(changed(url, link), { method: verb, headers })
  if (response.status !== 200) {
    const { error } = readRest(response.status, response.headers, await response.text())
    return error?.class ?? 'INTERNAL'
  }
  assert.equal(response.headers.get('content-length'), String(bytes))
  const body = Buffer.from(await response.arrayBuffer())
  assert.equal(body.length, verb === 'HEAD' ? 0 : bytes)
  if (verb === 'HEAD') return 'size'
  assert.equal(body.subarray(0, 4).toString(), 'PAR1')
  assert.equal(body.subarray(-4).toString(), 'PAR1')
  return 'file'
}

function changed(url: string, link: Download['link']): string {
  if (link === 'cut short') return url.slice(0, -1)
  return link === 'forged' ? `${url.slice(0, url.lastIndexOf('/'))}/bm90aGluZw.AAAAAAAAAAAAAAAAAAAAAAAA` : url
}
