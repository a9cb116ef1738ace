import type { Seal } from '../seal.js'

/** What the link of an export holds: nothing else is stored about it. */
export interface ExportLink {
  exportId: string
  ownerId: string
  projectId: string
  /** Epoch milliseconds. */
  expiresAt: number
}

const PURPOSE = 'export link'

/** The last part of an export's URL. */
export function sealLink(seal: Seal, link: ExportLink): string {
  return seal.seal(PURPOSE, [link.exportId, link.ownerId, link.projectId, link.expiresAt])
}

/** The link behind the last part of a URL, or null when this service never handed it out. */
export function openLink(seal: Seal, text: string): ExportLink | null {
  const opened = seal.open(PURPOSE, text)
  if (!Array.isArray(opened)) return null
  const [exportId, ownerId, projectId, expiresAt] = opened as [string, string, string, number]
  return { exportId, ownerId, projectId, expiresAt }
}
