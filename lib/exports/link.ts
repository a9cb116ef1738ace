import { createHash } from 'node:crypto'
import type { Signer } from '../call/signer.js'
import type { ExportFormat } from '../model.js'

/** The contents of an export's link; nothing else is stored about the export. */
export interface LinkContents {
  exportId: string
  /** Digest of the owner of the export, see {@link ownerDigest}. */
  owner: string
  projectId: string
  /** Epoch milliseconds. */
  expiresAt: number
  format: ExportFormat
  /** Digest of the limits of the key that has exported it, see `limitsDigest`; null for a key without limits. */
  limits: string | null
}

const PURPOSE = 'export link'

/** Hashes an owner id for links: hosts may use email addresses of any length, and links end up in logs. */
export function ownerDigest(ownerId: string): string {
  return createHash('sha256').update(ownerId).digest('base64url')
}

/** Signs a link; returns the last part of the export's URL. */
export function signLink(signer: Signer, link: LinkContents): string {
  const { exportId, owner, projectId, expiresAt, format, limits } = link
  return signer.sign(PURPOSE, [
    exportId,
    owner,
    projectId,
    expiresAt,
    ...(format === 'parquet' && limits === null ? [] : [format]),
    ...(limits === null ? [] : [limits]),
  ])
}

/** The link in the last part of a URL, or null when this service did not sign it. */
export function readLink(signer: Signer, text: string): LinkContents | null {
  const opened = signer.verify(PURPOSE, text)
  if (!Array.isArray(opened)) return null
  const [exportId, owner, projectId, expiresAt, format = 'parquet', limits = null] = opened as [
    ...[exportId: string, owner: string, projectId: string, expiresAt: number],
    format?: ExportFormat,
    limits?: string,
  ]
  return { exportId, owner, projectId, expiresAt, format, limits }
}
