const SUBSTITUTES: readonly { names: string; hint: string }[] = [
  {
    names: 'from_json from_json_strict json_transform json_transform_strict json_merge_patch',
    hint: "Read the parts, one by one: json_extract(value, '$.path'), json_extract_string or value->>'$.path'.",
  },
  {
    names: 'json_structure json_group_structure',
    hint: 'Use json_keys(value) and json_type(value), which tell one level.',
  },
  {
    names: 'fill',
    hint: 'Use last_value(value IGNORE NULLS) OVER (ORDER BY …), which repeats the value before.',
  },
  { names: 'array_where list_where', hint: 'Use list_filter(list, lambda x, i: mask[i]).' },
  {
    names: 'array_select list_select',
    hint: 'Use list_transform(places, lambda i: list[i]), which has NULLs for a NULL list.',
  },
  { names: 'enum_range_boundary', hint: "Write the values as a list: ['low', 'high']." },
  { names: 'struct_keys', hint: 'Use json_keys(to_json(value)).' },
  {
    names: 'json_contains',
    hint: "Use list_contains(json_extract_string(value, '$[*]'), text), which looks at one level.",
  },
  {
    names: 'list_aggr list_aggregate array_aggr array_aggregate aggregate',
    hint: 'Call the list aggregate by its own name, for instance list_sum or list_max.',
  },
  {
    names: 'reservoir_quantile',
    hint: 'Use quantile_cont(value, 0.5), quantile_disc or approx_quantile, which draw no sample.',
  },
  { names: 'query query_table', hint: 'Name the relation in FROM.' },
  {
    names: 'soundex similarity',
    hint: 'Use jaro_winkler_similarity(a, b) or levenshtein(a, b), which are other measures.',
  },
  { names: 'average', hint: 'Use avg(value).' },
  { names: 'nvl isnull zeroifnull', hint: 'Use coalesce(value, other).' },
  { names: 'iif iff', hint: 'Use CASE WHEN … THEN … ELSE … END.' },
  {
    names: 'convert to_number to_decimal tochar',
    hint: 'Use CAST(value AS type), or TRY_CAST where a value may not fit.',
  },
  { names: 'safe_divide', hint: 'Use a / nullif(b, 0).' },
  { names: 'to_char date_format format_date datename', hint: "Use strftime(value, '%Y-%m-%d')." },
  {
    names: 'to_date str_to_date parse_date parse_timestamp',
    hint: "Use strptime(text, '%Y-%m-%d'), or CAST(text AS DATE).",
  },
  {
    names: 'dateadd adddate date_add_days add_months timestampadd',
    hint: 'Use + INTERVAL 1 DAY, MONTH, YEAR ….',
  },
  { names: 'timestampdiff', hint: "Use date_diff('day', a, b)." },
  { names: 'datefromparts', hint: 'Use make_date(year, month, day).' },
  { names: 'eomonth', hint: 'Use last_day(date).' },
  { names: 'getdate sysdate curdate getutcdate', hint: 'Use now() or today().' },
  { names: 'charindex locate', hint: 'Use strpos(text, part).' },
  { names: 'initcap', hint: 'Use upper(text[1]) || lower(text[2:]), which changes the first word alone.' },
  { names: 'substring_index', hint: "Use split_part(text, ',', 1), which returns one part." },
  { names: 'regexp_like rlike', hint: 'Use regexp_matches(text, pattern).' },
  { names: 'regexp_substr', hint: 'Use regexp_extract(text, pattern).' },
  { names: 'regexp_count', hint: 'Use len(regexp_extract_all(text, pattern)).' },
  { names: 'stdev', hint: 'Use stddev(value).' },
  { names: 'var', hint: 'Use var_samp(value) or var_pop(value).' },
  { names: 'percentile', hint: 'Use quantile_cont(value, 0.5).' },
  { names: 'explode', hint: 'Use unnest(list).' },
  { names: 'generate_array', hint: 'Use range(…) or generate_series(…) in FROM.' },
  { names: 'json_extract_scalar get_json_object', hint: "Use json_extract_string(value, '$.path')." },
  { names: 'rand', hint: 'Use random().' },
  { names: 'truncate', hint: 'Use trunc(value).' },
]

const BY_NAME = new Map(
  SUBSTITUTES.flatMap(({ names, hint }) => names.split(' ').map(name => [name, hint] as const)),
)

/** Hint for a function that is refused or that only other databases have; null when there is none. */
export function insteadOf(name: string): string | null {
  return BY_NAME.get(name) ?? null
}
