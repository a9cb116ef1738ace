import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const SIGNED = /^(AWS4-HMAC-SHA256 Credential=[^/]+\/((\d+)\/([^/]+)\/([^/]+)\/aws4_request), SignedHeaders=)([^,]+),/

/**
 * The headers of a request of the AWS client without some of them, signed again with the secret of its key.
 * See https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signedWithout(
  names: readonly string[],
  { method, url = '', headers: given }: IncomingMessage,
  secret: string,
): IncomingHttpHeaders {
  const found = SIGNED.exec(given.authorization ?? '')
  assert.ok(found, 'a signature of version 4')
  const [, beginning, scope, day, region, service, listed] = found as unknown as string[]
  const headers = Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)))
  const signed = (listed ?? '').split(';').filter(name => !names.includes(name))
  const [path, search = ''] = url.split('?')
  const query = search.split('&').map(pair => (pair === '' || pair.includes('=') ? pair : `${pair}=`))
  const values = signed.map(name => `${name}:${String(headers[name]).trim()}`)
  const body = headers['x-amz-content-sha256']
  const request = [method, path, query.sort().join('&'), ...values, '', signed.join(';'), body].join('\n')
  const hashed = createHash('sha256').update(request).digest('hex')
  const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (current, text) => sign(current, text ?? ''),
    `AWS4${secret}`,
  )
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hashed].join('\n')
  const signature = sign(key, toSign).toString('hex')
  return { ...headers, authorization: `${beginning}${signed.join(';')}, Signature=${signature}` }
}
