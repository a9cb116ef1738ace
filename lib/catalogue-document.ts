import { absent, type Infer, list, record, string } from './json-schema.js'
import { type QueryExample, queryExampleSchema, relationKindSchema } from './model.js'
import type { Words } from './words.js'

const describedColumnSchema = record('DescribedColumn', 'A column, with what the catalogue says about it.', {
  /** Name, as written in SQL. */
  name: string('The name to use in a query.'),
  /** SQL type, such as `DECIMAL(18,3)`. */
  type: string('Its SQL type, such as VARCHAR, DOUBLE or UUID.'),
  /** What a value is. */
  about: absent(string('What a value is.')),
  /** Unit of the values. */
  unit: absent(string('Unit of the values.')),
  /** Column of the same relation that has the unit of each value. */
  unitColumn: absent(string('Column of the same relation that has the unit of each value.')),
  /** Columns over which the values may be summed, perhaps none; absent when over all. */
  additiveOver: absent(
    list(string('A column.'), 'Columns over which values may be summed, perhaps none; absent when over all.'),
  ),
  /** The values in their order, the least first. */
  order: absent(list(string('A value.'), 'The values in their order, the least first.')),
  /** All values that the column may have, besides NULL. */
  values: absent(list(string('A value.'), 'All values that the column may have, besides NULL.')),
  /** The `relation.column` to join the column with. */
  references: absent(string('What to join the column with: a relation and its column, with a dot.')),
})

/** A column, with what the catalogue says about it. */
export interface DescribedColumn extends Infer<typeof describedColumnSchema> {}

const describedMeasureSchema = record('DescribedMeasure', 'A number that is computed in one way alone.', {
  /** Name, for people; SQL has no use for it. */
  name: string('What it is called.'),
  /** An aggregate over columns of the relation, such as `sum(paid) - sum(refunded)`. */
  sql: string('The aggregate to write into queries over the relation.'),
  /** What the number is. */
  about: string('What the number is.'),
  /** Unit of the number. */
  unit: absent(string('Unit of the number.')),
})

/** A number that is computed from the rows of a relation in one way alone. */
export interface DescribedMeasure extends Infer<typeof describedMeasureSchema> {}

const describedRelationSchema = (words: Words) =>
  record('DescribedRelation', 'A relation, with what the catalogue says about it.', {
    /** Name, as written in FROM. */
    name: string('The name to use in FROM.'),
    /** `fold`: computed from the snapshot; `table`: a table of the snapshot, as stored. */
    kind: relationKindSchema(words),
    /** What one row is. */
    about: absent(string('What a row represents.')),
    /** Columns in order; absent when only a snapshot tells them. */
    columns: absent(
      list<DescribedColumn>(
        describedColumnSchema,
        'Columns in order; absent when only projects/describe tells them.',
      ),
    ),
    /** Columns that together identify a row; absent when the catalogue does not tell. */
    unique: absent(
      list(
        string('A column.'),
        'Columns that together identify a row; absent when the catalogue does not tell.',
      ),
    ),
    /** Numbers that the vendor defines, each with its SQL. */
    measures: absent(
      list<DescribedMeasure>(
        describedMeasureSchema,
        'Numbers that are defined once: compute them by this SQL.',
      ),
    ),
    /** What queries over the relation easily get wrong, one sentence or two each. */
    notes: absent(list(string('A note.'), 'What queries over the relation easily get wrong.')),
  })

/** A relation, with what the catalogue says about it. */
export interface DescribedRelation extends Infer<ReturnType<typeof describedRelationSchema>> {}

export const describedCatalogueSchema = (words: Words) =>
  record('DescribedCatalogue', 'The relations that queries may name, and worked queries.', {
    /** Folds first, then tables, as in `projects/describe`. */
    relations: list<DescribedRelation>(describedRelationSchema(words), 'All relations, folds first.'),
    /** Worked queries. */
    examples: list<QueryExample>(queryExampleSchema, 'Worked queries over the relations.'),
  })

/** The relations that callers see, with what the catalogue says about them: `catalogue.json`. */
export interface DescribedCatalogue extends Infer<ReturnType<typeof describedCatalogueSchema>> {}
