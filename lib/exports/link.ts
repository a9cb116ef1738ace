import { createHash } from 'node:crypto'
import type { Signer } from '../signer.js'

/** What the link of an export holds: nothing else is stored about it. */
export interface ExportLink {
  exportId: string
  /** Stands for who exported it, see {@link ownerDigest}. */
  owner: string
  projectId: string
  /** Epoch milliseconds. */
  expiresAt: number
}

const PURPOSE = 'export link'

/** An owner as links name them: hosts may use addresses of people, of any length, and links end up in logs. */
export function ownerDigest(ownerId: string): string {
  return createHash('sha256').update(ownerId).digest('base64url')
}

/** The last part of an export's URL. */
export function signLink(signer: Signer, link: ExportLink): string {
  return signer.sign(PURPOSE, [link.exportId, link.owner, link.projectId, link.expiresAt])
}

/** The link behind the last part of a URL, or null when this service never handed it out. */
export function readLink(signer: Signer, text: string): ExportLink | null {
  const opened = signer.verify(PURPOSE, text)
  if (!Array.isArray(opened)) return null
  const [exportId, owner, projectId, expiresAt] = opened as [string, string, string, number]
  return { exportId, owner, projectId, expiresAt }
}
