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
      const {
        about,
        unique = [],
        notes = [],
        measures = [],
      }: Partial<RelationDoc> = relations.get(name) ?? {}
      const key = `One row per ${unique.join(' and ')}`
      const isTold = unique.length === 0 || notes.some(note => note.startsWith(key))
      const numbers = measures.map(
        measure => `${measure.name} = ${measure.sql}: ${withUnit(measure.about, measure.unit)}.`,
      )
      const told = [...(isTold ? [] : [`${key}.`]), ...notes, ...numbers]
      return { ...(about === undefined ? {} : { about }), notes: told }
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
function aboutColumn(column: ColumnDoc): string | null {
  const { about, unit, unitColumn, additiveOver, order, values, references } = column
  const listed = values && [...values.slice(0, MOST_VALUES), ...(values.length > MOST_VALUES ? ['…'] : [])]
  const sentences = [
    about === undefined ? unit : withUnit(about, unit),
    unitColumn && `Its unit is in ${unitColumn}`,
    additiveOver &&
      (additiveOver.length > 0 ? `Summed over ${additiveOver.join(' and ')} alone` : 'Not to be summed'),
    order ? `In the order ${order.join(', ')}` : listed && `One of ${listed.join(', ')}`,
    references && `Refers to ${references}`,
  ].filter(sentence => sentence !== undefined)
  return sentences.length === 0 ? null : sentences.join('. ')
}

function withUnit(about: string, unit: string | undefined): string {
  return `${about.replace(/\.$/, '')}${unit === undefined ? '' : ` (${unit})`}`
}
