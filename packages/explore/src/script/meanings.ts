import type { Client, DescribedCatalogue } from 'foldgate/client'

type RelationDoc = DescribedCatalogue['relations'][number]
type ColumnDoc = NonNullable<RelationDoc['columns']>[number]

import { isFailure, isStopped } from './call-failure.js'

/** What the catalogue says about relations and columns. */
export interface Meanings {
  /** What one row of a relation is, and what to know before reading it; empty when the catalogue says nothing. */
  ofRelation(name: string): { about?: string; notes: readonly string[] }
  /** What a column of a relation is; null when the catalogue says nothing. */
  ofColumn(relation: string, column: string): string | null
}

const MOST_VALUES = 12

/** What a catalogue says; nothing without one. */
export function meaningsOf(catalogue: DescribedCatalogue | null): Meanings {
  const relations = new Map((catalogue?.relations ?? []).map(relation => [relation.name, relation]))
  return {
    ofRelation(name) {
      const { about, unique = [], notes = [] }: Partial<RelationDoc> = relations.get(name) ?? {}
      const key = `One row per ${unique.join(' and ')}`
      const isTold = unique.length === 0 || notes.some(note => note.startsWith(key))
      return { ...(about === undefined ? {} : { about }), notes: isTold ? notes : [`${key}.`, ...notes] }
    },
    ofColumn(relation, name) {
      const column = relations.get(relation)?.columns?.find(each => each.name === name)
      return column ? aboutColumn(column) : null
    },
  }
}

/** Reads the catalogue; null when it cannot be read, since it only helps with writing queries. */
export async function readCatalogue(client: Client, signal: AbortSignal): Promise<DescribedCatalogue | null> {
  try {
    return await client.catalogue({ signal })
  } catch (error) {
    if (isStopped(error) || isFailure(error)) return null
    throw error
  }
}

/** `What the customer paid (EUR). One of open, paid. Refers to customers.customer_id`. */
function aboutColumn({ about, unit, values, references }: ColumnDoc): string | null {
  const listed = values && [...values.slice(0, MOST_VALUES), ...(values.length > MOST_VALUES ? ['…'] : [])]
  const sentences = [
    about === undefined ? unit : `${about.replace(/\.$/, '')}${unit === undefined ? '' : ` (${unit})`}`,
    listed && `One of ${listed.join(', ')}`,
    references && `Refers to ${references}`,
  ].filter(sentence => sentence !== undefined)
  return sentences.length === 0 ? null : sentences.join('. ')
}
