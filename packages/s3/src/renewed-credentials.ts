import type { S3Client } from '@aws-sdk/client-s3'

/** What stores answer to credentials that are no longer valid. */
const ENDED = new Set([
  ...['ExpiredToken', 'ExpiredTokenException', 'InvalidToken', 'InvalidTokenId', 'TokenRefreshRequired'],
  'InvalidAccessKeyId',
])

/**
 * Settings with which a client reads the files of profiles anew whenever it looks for credentials. The client
 * passes its settings to what looks for them.
 */
export const REREAD = { ignoreCache: true }

/**
 * Lets a client look for credentials again when the store answers that they have expired, and repeat the request if
 * there are new ones. By itself, the client does so only for credentials that say when they expire: credentials in the
 * file of a profile, which another program may renew, do not.
 */
export function renewCredentials(client: S3Client): S3Client {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        const used = await client.config.credentials()
        try {
          return await next(args)
        } catch (cause) {
          // The answer to HEAD has no body that says why.
          if (!(hasEnded(cause) || (commandName === 'HeadObjectCommand' && isRefused(cause)))) throw cause
          const found = await client.config.credentials({ forceRefresh: true }).catch(() => used)
          if (found.accessKeyId === used.accessKeyId && found.sessionToken === used.sessionToken) throw cause
          return next(args)
        }
      },
    { step: 'initialize', name: 'renewCredentials' },
  )
  return client
}

function hasEnded(cause: unknown): boolean {
  return cause instanceof Error && ENDED.has(cause.name)
}

function isRefused(cause: unknown): boolean {
  const status = (cause as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
  return status === 400 || status === 403
}
