import type { Catalogue } from 'foldgate'
import type { WebhookEvent } from '../outbox/webhook-events.js'

/** What pages, commands and webhooks call things. */
export interface Words {
  /** Whether people know of assessments, in which snapshots are sealed. */
  hasAssessments: boolean
  /** Whether callers choose a point of view. */
  hasPointOfView: boolean
  /** The events that webhooks receive, each with what it is for users. */
  events: ReadonlyMap<WebhookEvent, string>
}

const REVOKED = ['key.revoked', 'One of your keys is revoked'] as const

const WITH_TREE: Words = {
  hasAssessments: true,
  hasPointOfView: true,
  events: new Map<WebhookEvent, string>([
    ['snapshot.sealed', 'New numbers of a project can be read'],
    ['assessment.completed', 'An assessment of a project is completed'],
    REVOKED,
  ]),
}

const PLAIN: Words = {
  hasAssessments: false,
  hasPointOfView: false,
  events: new Map<WebhookEvent, string>([['snapshot.sealed', 'New data of a project can be read'], REVOKED]),
}

/** The words for a catalogue: without a tree of ownership, they are about data and snapshots. */
export function wordsOf({ hierarchy }: Pick<Catalogue, 'hierarchy'>): Words {
  return hierarchy === null ? PLAIN : WITH_TREE
}
