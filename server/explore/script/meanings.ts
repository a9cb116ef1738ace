import type { DescribedCatalogue, DescribedColumn } from 'foldgate'

/** What the catalogue says about relations and columns. */
export interface Meanings {
  /** What one row of a relation is, and what to know before reading it; empty when the catalogue says nothing. */
  ofRelation(name: string): { about?: string; notes: readonly string[] }
  /** What a column of a relation is; null when the catalogue says nothing. */
  ofColumn(relation: string, column: string): string | null
}

const PATH = '/public/v1/catalogue.json'
const MOST_VALUES = 12

/** What a catalogue says; nothing without one. */
export function meaningsOf(catalogue: DescribedCatalogue | null): Meanings {
  const relations = new Map((catalogue?.relations ?? []).map(relation => [relation.name, relation]))
  return {
    ofRelation(name) {
      const { about, key = [], notes = [] } = relations.get(name) ?? {}
      const keyed = key.length > 0 && notes.length === 0 ? [`One row per ${key.join(' and ')}.`] : []
      return { ...(about === undefined ? {} : { about }), notes: [...keyed, ...notes] }
    },
    ofColumn(relation, name) {
      const column = relations.get(relation)?.columns?.find(each => each.name === name)
      return column ? aboutColumn(column) : null
    },
  }
}

/** Reads the catalogue with a key; null when it cannot be read, since it only helps with writing queries. */
export async function readCatalogue(key: string, signal: AbortSignal): Promise<DescribedCatalogue | null> {
  const headers = { authorization: `Bearer ${key}` }
  try {
    const response = await fetch(PATH, { headers, credentials: 'omit', signal })
    return response.ok ? ((await response.json()) as DescribedCatalogue) : null
  } catch {
    return null
  }
}

/** `What the customer paid (EUR). One of open, paid. In customers.customer_id`. */
function aboutColumn({ about, unit, values, references }: DescribedColumn): string | null {
  const listed = values && [...values.slice(0, MOST_VALUES), ...(values.length > MOST_VALUES ? ['…'] : [])]
  const sentences = [
    about === undefined ? unit : `${about.replace(/\.$/, '')}${unit === undefined ? '' : ` (${unit})`}`,
    listed && `One of ${listed.join(', ')}`,
    references && `In ${references}`,
  ].filter(sentence => sentence !== undefined)
  return sentences.length === 0 ? null : sentences.join('. ')
}
