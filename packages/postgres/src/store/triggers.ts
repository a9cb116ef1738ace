import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * SQL for the channel on which the triggers of a store tell the values of these columns in rows that have changed: that of
 * the schema of its tables, which need not be the first of the search path.
 */
export const CHANNEL = sql.raw(
  "(select 'foldgate_' || hashtext(nspname) from pg_class join pg_namespace on pg_namespace.oid = relnamespace " +
    "where pg_class.oid = 'keys'::regclass)",
)
/** The notification in place of more than a hundred values: any row may have changed. */
export const ANYTHING = '*'
const MOST_TOLD = 100

/** The columns whose values are told when a row changes: calls keep what they have read of these tables. */
const TOLD: readonly (readonly [table: string, column: string])[] = [
  ['keys', 'id'],
  ['key_organizations', 'key_id'],
  ['memberships', 'user_id'],
  ['suspended_users', 'user_id'],
  ['projects', 'id'],
  ['projects', 'organization_key'],
  ['project_engines', 'project_id'],
  ['assessments', 'project_id'],
  ['newest_snapshots', 'project_id'],
]
const CHANGES = [
  ['insert', 'new'],
  ['update', 'old'],
  ['update', 'new'],
  ['delete', 'old'],
] as const

/**
 * Makes PostgreSQL tell the changes of all processes, also of those that know nothing of it. A statement that changes
 * many rows tells that anything may have changed.
 */
export async function createTriggers(db: QueryExecutorProvider): Promise<void> {
  // `changed` is the table of the rows that a statement has changed.
  await sql`
    create or replace function foldgate_tell() returns trigger language plpgsql as $$
    declare
      channel text := 'foldgate_' || hashtext(TG_TABLE_SCHEMA);
      ids text[];
    begin
      if TG_OP <> 'TRUNCATE' then
        execute format('select array_agg(id) from (select distinct %I as id from changed limit ${sql.raw(String(MOST_TOLD + 1))}) found', TG_ARGV[0])
          into ids;
      end if;
      if TG_OP = 'TRUNCATE' or cardinality(ids) > ${sql.raw(String(MOST_TOLD))} then
        perform pg_notify(channel, ${sql.lit(ANYTHING)});
      else
        perform pg_notify(channel, id) from unnest(ids) as told(id);
      end if;
      return null;
    end $$`.execute(db)
  for (const [table, column] of TOLD) {
    const name = (event: string) => sql.id(`told_${table}_${column}_${event}`)
    for (const [event, rows] of CHANGES)
      await sql`
        create trigger ${name(`${event}_${rows}`)} after ${sql.raw(event)} on ${sql.table(table)}
        referencing ${sql.raw(rows)} table as changed for each statement execute function foldgate_tell(${sql.lit(column)})`.execute(
        db,
      )
    await sql`
      create trigger ${name('truncate')} after truncate on ${sql.table(table)}
      for each statement execute function foldgate_tell(${sql.lit(column)})`.execute(db)
  }
}

/** Makes PostgreSQL refuse statements that update rows of a table. */
export async function refuseUpdates(db: QueryExecutorProvider, table: string): Promise<void> {
  await sql`
    create or replace function foldgate_refuse() returns trigger language plpgsql as $$
    begin
      raise exception 'rows of the table % cannot be changed', TG_TABLE_NAME;
    end $$`.execute(db)
  await sql`
    create trigger ${sql.id(`${table}_stays`)} before update on ${sql.table(table)}
    for each statement execute function foldgate_refuse()`.execute(db)
}
