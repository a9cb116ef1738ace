/** Words of DuckDB's SELECT, which the editor colours and completes. */
export const KEYWORDS =
  words(`all and anti any array as asc asof between by case cast collate columns cross cube current desc distinct
    else end escape except exclude exists extract false filter first following from full glob group grouping
    having ilike in inner intersect interval is isnull join lambda last lateral left like limit map
    materialized natural not notnull null nulls offset on or order outer over partition pivot positional
    preceding qualify range recursive replace right rollup row rows sample select semi sets similar some
    struct summarize table tablesample then ties to true try_cast unbounded union unnest unpivot using
    values when where window with within`)

/** Types that casts name. */
export const TYPES =
  words(`bigint bit blob boolean date decimal double float hugeint int integer json list real smallint text time
    timestamp timestamptz tinyint ubigint uhugeint uinteger usmallint utinyint uuid varchar`)

/**
 * Words that DuckDB does not take as the name of a column
 * or a relation, or only in some places, unless quoted.
 */
export const RESERVED: ReadonlySet<string> = new Set(
  words(`all analyse analyze and anti any array as asc asof asymmetric at authorization between bigint binary bit
    boolean both by case cast char character check coalesce collate collation column columns concurrently
    constraint create cross dec decimal default deferrable desc describe distinct do else end except exists
    extract false fetch float for foreign freeze from full generated glob group grouping grouping_id having
    ilike in initially inner inout int integer intersect interval into is isnull join lambda lateral leading
    left like limit map national natural nchar none not notnull null nullif numeric offset on only or order
    out outer overlaps overlay pivot pivot_longer pivot_wider placing position positional precision primary
    qualify real references returning right row select semi setof show similar smallint some struct
    substring summarize symmetric table tablesample then time timestamp to trailing treat trim true try_cast
    union unique unpack unpivot using values varchar variadic verbose when where window with`),
)

const COLOURED = new Set(KEYWORDS)

/** Whether a word is one of {@link KEYWORDS}, in any case. */
export function isKeyword(word: string): boolean {
  return COLOURED.has(word.toLowerCase())
}

function words(list: string): string[] {
  return list.split(/\s+/)
}
