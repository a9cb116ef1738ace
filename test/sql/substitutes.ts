/**
 * What a refusal says to write instead of a function, and rows to compare both over. `write` is part of the hint; `run` is
 * how it is run where it has placeholders.
 */
export interface Substitute {
  /** Calls of the functions, which the engine has and the guard refuses. */
  calls: readonly string[]
  write: string
  run?: string
  /** Rows, as what follows FROM, with columns that have the names of the hint. */
  over: string
  /** How the hint says that the answers differ; some row of `differing`, by default of `over`, shows it. */
  differs?: RegExp
  differing?: string
}

const LISTS = '(VALUES ([3, 1, NULL, 2]), ([]), (NULL), ([5]), ([1, 1, 7]), (range(3000)::INTEGER[])) t(list)'
const FLAGS = '(VALUES ([true, false]), ([]), (NULL), ([NULL, true])) t(list)'
const TEXTS = `(VALUES ('abc'), (''), (NULL), ('ünï 😀'), ('a"b'), (repeat('ü', 3000)), ('x  y')) t(text)`
const PATHS = `(VALUES ('c.txt'), (''), (NULL), ('/a/b/c.txt'), ('a\\b'), ('a/b/'), ('ü/é.x')) t(text)`
const WHOLE = '(VALUES (0::BIGINT), (1), (7), (255), (9223372036854775807), (NULL)) t(value)'
const NUMBERS = "(VALUES (0::DOUBLE), (1.5), (-1.5), (2), (-3), (NULL), (1e17), ('nan'), ('inf'), ('-inf')) t(value)"
const TIMES = `(VALUES (TIMESTAMP '2026-02-03 04:05:06.789123'), ('1899-12-31 23:59:59.5'), ('0044-03-15 (BC) 12:00:00'), (NULL),
  ('2000-01-01'), ('9999-12-31 23:59:59.999999')) t(value)`
const ZONED = "(VALUES (TIMESTAMPTZ '2026-02-03 04:05:06+02'), (NULL)) t(value)"
const STRUCTS = "(VALUES ({'a': 1, 'b': 'ü'}), ({'a': NULL, 'b': ''}), (NULL)) t(value)"
const UNIONS = "(VALUES (1::UNION(n INTEGER, s VARCHAR)), ('x'), (NULL)) t(value)"
const LEVELS = "(SELECT unnest(['low', 'high', NULL]::ENUM('low', 'high')[]) AS value)"
const MAPS = `(VALUES (MAP {'k': 1, 'l': NULL}), (MAP {}::MAP(VARCHAR, INTEGER)), (NULL)) t(map), (VALUES ('k'), ('l'), ('z')) u(key),
  (VALUES (1), (2)) w(value)`
const BYTES = "(VALUES ('abc'::BLOB), ('\\xC3\\xBC'::BLOB), (NULL), (''::BLOB), ('\\x00\\xFF'::BLOB)) t(value)"
const ASCII = "(VALUES ('abc'::BLOB), (NULL), (''::BLOB)) t(value)"
const OF_DIGITS = `(VALUES ('\\xFF\\x0A'::BLOB, 'ff0a'), (''::BLOB, ''), (NULL, '00'), ('a'::BLOB, '62'), ('a'::BLOB, NULL)) t(value, text)`
const JSONS = `(VALUES ('{"a":[1,"ü"]}'::JSON), ('{}'), (NULL), ('[1]'), ('{"a":null}'), ('{"a":"x"}')) t(value)`
const SCORES = `(VALUES (1, NULL, 5), (1, 'a', 3), (1, 'b', NULL), (2, 'c', 1), (2, NULL, 0), (3, 'd', NULL), (3, 'e', -1))
  t(g, value, score) GROUP BY g ORDER BY g`
const WORDS = "(VALUES ('kitten', 'sitting'), ('', 'a'), (NULL, 'x'), ('ü', 'u'), ('same', 'same')) t(a, b)"
const EQUAL_LENGTHS = "(VALUES ('abc', 'abd'), (NULL, 'x'), ('aaa', 'bbb')) t(a, b)"
const OPERANDS = '(VALUES (1, 2), (NULL, 1), (-7, 2), (7, -2), (5, 0)) t(a, b)'
const DOUBLES = '(VALUES (7.5::DOUBLE, 2::DOUBLE), (-7.5, 2), (NULL, 1), (1, 0)) t(a, b)'
const SUMMED = '(VALUES (0.1::DOUBLE), (0.2), (0.3), (1e16), (NULL)) t(value)'
const GRAPHEMES = "(VALUES ('👨‍👩‍👧 family', 2, 1), ('e\u0301a', 1, 1)) t(text, n, i)"
const SIGNS = "(VALUES ('abc', 2, 1), ('', 2, 1), (NULL, 2, 1), ('ünï', 2, 2)) t(text, n, i)"
const UUIDS =
  "(VALUES ('019a9c3b-1b2c-7d3e-8f4a-5b6c7d8e9fa0'::UUID), ('00000000-0001-7000-8000-000000000000'), (NULL)) t(value)"
const RANDOM_UUIDS = "(VALUES ('550e8400-e29b-41d4-a716-446655440000'::UUID)) t(value)"

/** Functions that the engine has. */
// biome-ignore format: one case per line
export const SUBSTITUTES: readonly Substitute[] = [
  { calls: ['struct_values(value)'], write: 'row(value.a, value.b)', over: "(VALUES ({'a': 1, 'b': 'ü'})) t(value)", differs: /NULL members for a NULL struct/, differing: STRUCTS },
  { calls: ['struct_concat(value, other)'], write: "{'a': value.a, 'b': value.b, 'c': other.c}", over: `${STRUCTS}, (VALUES ({'c': 3})) u(other)` },
  { calls: ['struct_insert(value, c := 3)'], write: "{'a': value.a, 'b': value.b, 'c': 3}", over: STRUCTS },
  { calls: ['struct_update(value, b := 3)'], write: "{'a': value.a, 'b': 3}", over: STRUCTS },
  { calls: ['struct_extract_at(value, 1)'], write: 'value.a', over: STRUCTS },
  { calls: ['struct_extract_at(value, 1)'], write: 'value[1]', over: '(VALUES (row(1, 2)), (NULL)) t(value)' },
  { calls: ["union_extract(value, 'n')"], write: 'value.n', over: UNIONS },
  { calls: ['CAST(union_tag(value) AS VARCHAR)'], write: "CASE WHEN value.n IS NOT NULL THEN 'n' WHEN value.s IS NOT NULL THEN 's' END", over: UNIONS, differs: /NULL for a NULL member/, differing: '(VALUES (CAST(union_value(n := NULL::INTEGER) AS UNION(n INTEGER, s VARCHAR)))) t(value)' },
  { calls: ['union_value(n := value)'], write: 'CAST(value AS UNION(n INTEGER))', over: '(VALUES (1), (-3)) t(value)' },
  { calls: ['enum_code(value)'], write: "list_position(['low', 'high'], CAST(value AS VARCHAR)) - 1", over: LEVELS },
  { calls: ['enum_first(value)'], write: "'low'", over: LEVELS },
  { calls: ['enum_last(value)'], write: "'high'", over: LEVELS },
  { calls: ['enum_range(value)', "enum_range_boundary(value::ENUM('low', 'high'), NULL)"], write: "['low', 'high']", over: `${LEVELS} WHERE value = 'low'` },
  { calls: ['map_contains_entry(map, key, value)'], write: "list_contains(map_entries(map), {'key': key, 'value': value})", over: MAPS },
  { calls: ['map_contains_value(map, value)'], write: 'list_contains(map_values(map), value)', over: MAPS },
  { calls: ['map_extract_value(map, key)'], write: 'map[key]', over: MAPS },
  { calls: ['equi_width_bins(low, high, n, false)'], write: 'list_transform(range(1, n + 1), lambda i: low + i * (high - low) / n)', over: '(VALUES (0.0::DOUBLE, 10.0::DOUBLE, 4::BIGINT)) t(low, high, n)' },
  { calls: ['equi_width_bins(low, high, n, true)'], write: 'list_transform(range(1, n + 1), lambda i: low + i * (high - low) / n)', over: '(VALUES (0.0::DOUBLE, 10.0::DOUBLE, 2::BIGINT)) t(low, high, n)', differs: /does not round the bounds/, differing: '(VALUES (0.1::DOUBLE, 9.7::DOUBLE, 3::BIGINT)) t(low, high, n)' },
  { calls: ['histogram_exact(value, [1, 2])'], write: 'histogram(value)', over: '(VALUES (1), (2), (2), (NULL)) t(value)', differs: /every value and not those of a list alone/, differing: '(VALUES (1), (5)) t(value)' },
  { calls: ['decode(value)'], write: 'CAST(value AS VARCHAR)', over: ASCII, differs: /only where all bytes are ASCII, and writes others as \\xC3/, differing: BYTES.replace(", ('\\x00\\xFF'::BLOB)", '') },
  { calls: ['url_encode(text)'], write: "replace(text, ' ', '%20')", over: "(VALUES ('a b'), (''), (NULL)) t(text)", differs: /blanks alone/, differing: TEXTS },
  { calls: ['value = unhex(text)', 'value = from_hex(text)'], write: 'hex(value) = upper(text)', over: OF_DIGITS, differs: /two digits for each byte/, differing: "(VALUES ('\\x0F'::BLOB, 'F')) t(value, text)" },
  { calls: ['bin(value)', 'to_binary(value)'], write: "format('{:b}', value)", over: WHOLE, differs: /negative number with a sign/, differing: '(VALUES (-1::BIGINT)) t(value)' },
  { calls: ['to_base(value, 2)'], write: "format('{:b}', value)", over: WHOLE },
  { calls: ['to_base(value, 8)'], write: "format('{:o}', value)", over: WHOLE },
  { calls: ['to_base(value, 16)'], write: "format('{:X}', value)", over: WHOLE },
  { calls: ['get_bit(CAST(value AS BIT), 63 - i)'], write: '(value >> i) & 1', over: '(VALUES (5::BIGINT, 0), (5, 1), (5, 2), (NULL, 0), (9223372036854775807, 62)) t(value, i)' },
  { calls: ['CAST(set_bit(CAST(value AS BIT), 63 - i, 1) AS BIGINT)'], write: 'value | (1 << i)', over: '(VALUES (5::BIGINT, 0), (5, 1), (0, 30), (NULL, 0)) t(value, i)' },
  { calls: ['bit_length(text)'], write: 'strlen(text) * 8', over: TEXTS },
  { calls: ['octet_length(value)'], write: 'len(hex(value)) // 2', over: BYTES },
  { calls: ['list_grade_up(list)', 'array_grade_up(list)', 'grade_up(list)'], write: "list_transform(list_sort(list_transform(list, lambda x, i: {'x': x, 'i': i})), lambda p: p.i)", over: LISTS },
  { calls: ['list_resize(list, 5)', 'array_resize(list, 5)'], write: '(list || list_transform(range(5 - len(list)), lambda i: NULL))[1:5]', over: LISTS },
  { calls: ['list_resize(list, 5, 9)'], write: '(list || list_transform(range(5 - len(list)), lambda i: NULL))[1:5]', run: '(list || list_transform(range(5 - len(list)), lambda i: 9))[1:5]', over: LISTS },
  { calls: ['array_pop_back(list)'], write: 'list[1:-2]', over: LISTS },
  { calls: ['array_pop_front(list)'], write: 'list[2:]', over: LISTS },
  { calls: ['array_push_back(list, value)'], write: 'list_append(list, value)', over: `${LISTS}, (VALUES (4), (NULL)) u(value)` },
  { calls: ['array_push_front(list, value)'], write: 'list_prepend(value, list)', over: `${LISTS}, (VALUES (4), (NULL)) u(value)` },
  { calls: ['array_to_string_comma_default(list)'], write: "array_to_string(list, ',')", over: LISTS },
  { calls: ['(SELECT list(x) FROM (SELECT generate_subscripts(list, 1) AS x))'], write: 'unnest(range(1, len(list) + 1))', run: '(SELECT list(x) FROM (SELECT unnest(range(1, len(list) + 1)) AS x))', over: LISTS },
  ...['bit_and', 'bit_or', 'bit_xor', 'kurtosis', 'kurtosis_pop', 'skewness', 'sem', 'mad'].map(name => ({ calls: [`list_${name}(list)`], write: `(SELECT ${name}(x) FROM unnest(list) t(x))`, over: LISTS })),
  ...['bool_and', 'bool_or'].map(name => ({ calls: [`list_${name}(list)`], write: `(SELECT ${name}(x) FROM unnest(list) t(x))`, over: FLAGS })),
  ...['entropy', 'approx_count_distinct'].map(name => ({ calls: [`list_${name}(list)`], write: `(SELECT ${name}(x) FROM unnest(list) t(x))`, over: `${LISTS} WHERE list IS NULL OR len(list) > 0`, differs: /NULL for an empty list/, differing: LISTS })),
  { calls: ['json_quote(text)'], write: 'to_json(value)', run: 'to_json(text)', over: TEXTS },
  { calls: ["json_extract_path(value, 'a')"], write: "json_extract(value, '$.a')", over: JSONS },
  { calls: ["json_extract_path_text(value, 'a')"], write: "json_extract_string(value, '$.a')", over: JSONS },
  { calls: ['CAST(json_pretty(value) AS VARCHAR)'], write: 'to_json(value)', over: "(VALUES ('1'::JSON), (NULL)) t(value)", differs: /no line breaks/, differing: JSONS },
  { calls: ['array_to_json(list)'], write: 'to_json(value)', run: 'to_json(list)', over: LISTS },
  { calls: ['row_to_json(value)'], write: 'to_json(value)', over: STRUCTS },
  { calls: ['editdist3(a, b)'], write: 'levenshtein(a, b)', over: WORDS },
  { calls: ['mismatches(a, b)'], write: 'hamming(a, b)', over: EQUAL_LENGTHS },
  { calls: ['parse_filename(text)'], write: "regexp_extract(text, '[^/\\\\]*$')", over: PATHS },
  { calls: ['parse_dirpath(text)'], write: "regexp_extract(text, '^(.*)[/\\\\]', 1)", over: PATHS },
  { calls: ['parse_dirname(text)'], write: "regexp_extract(text, '^([^/\\\\]*)[/\\\\]', 1)", over: `${PATHS} WHERE text IS NULL OR text NOT LIKE '/%'`, differs: /empty where the path begins with a slash/, differing: PATHS },
  { calls: ['parse_path(text)'], write: "string_split(text, '/')", over: "(VALUES ('a/b'), ('c.txt'), (NULL)) t(text)", differs: /parts may be empty, and which splits at no backslash/, differing: PATHS },
  ...['left', 'right'].map(name => ({ calls: [`${name}_grapheme(text, n)`], write: `${name}(text, n)`, over: SIGNS, differs: /characters of Unicode: some signs have several/, differing: name === 'left' ? GRAPHEMES : "(VALUES ('family 👨‍👩‍👧', 1)) t(text, n)" })),
  { calls: ['substring_grapheme(text, i, n)'], write: 'substring(text, i, n)', over: SIGNS, differs: /some signs have several/, differing: GRAPHEMES },
  { calls: ['length_grapheme(text)'], write: 'length(text)', over: SIGNS, differs: /some signs have several/, differing: GRAPHEMES },
  ...['', '_lower', '_upper'].map(part => ({ calls: [`md5_number${part}(text)`], write: 'md5(text)', over: '(VALUES (NULL::VARCHAR)) t(text)', differs: /the same hash in hexadecimal digits/, differing: TEXTS })),
  { calls: ['uuidv4() IS NULL', 'uuidv7() IS NULL'], write: 'uuid()', run: 'uuid() IS NULL', over: '(VALUES (1)) t(value)' },
  { calls: ['uuid_extract_version(value)'], write: 'CAST(substring(CAST(value AS VARCHAR), 15, 1) AS INTEGER)', over: `(FROM ${UUIDS} UNION ALL FROM ${RANDOM_UUIDS})` },
  { calls: ['uuid_extract_timestamp(value)'], write: "to_timestamp(CAST('0x' || left(replace(CAST(value AS VARCHAR), '-', ''), 12) AS BIGINT) / 1000)", over: UUIDS },
  ...['era', 'millennium'].map(name => ({ calls: [`${name}(value)`], write: `date_part('${name}', value)`, over: TIMES })),
  ...['timezone_hour', 'timezone_minute'].map(name => ({ calls: [`${name}(value)`], write: `date_part('${name}', value)`, over: ZONED })),
  { calls: ['nanosecond(value)'], write: 'microsecond(value) * 1000', over: TIMES, differs: /lacks the last three digits of a TIMESTAMP_NS/, differing: "(VALUES (TIMESTAMP_NS '2026-02-03 04:05:06.789123456')) t(value)" },
  { calls: ['julian(value)'], write: 'epoch(value) / 86400 + 2440588', over: TIMES },
  { calls: ['julian(value)'], write: 'epoch(value) / 86400 + 2440588', over: "(VALUES (DATE '2026-01-02'), (DATE '0044-03-15 (BC)'), (NULL)) t(value)" },
  { calls: ['alias(value)'], write: "'value'", over: WHOLE },
  ...(['add +', 'subtract -', 'multiply *', 'divide //'].map(each => each.split(' ')) as [string, string][]).flatMap(([name, operator]) => [OPERANDS, DOUBLES].map(over => ({ calls: [`${name}(a, b)`], write: `a ${operator} b`, over }))),
  { calls: ['arg_max_null(value, score)'], write: 'first(value ORDER BY score DESC) FILTER (score IS NOT NULL)', over: SCORES },
  { calls: ['arg_min_null(value, score)'], write: 'first(value ORDER BY score) FILTER (score IS NOT NULL)', over: SCORES },
  { calls: ['arg_max_nulls_last(value, score)'], write: 'first(value ORDER BY score DESC NULLS LAST)', over: SCORES },
  { calls: ['arg_min_nulls_last(value, score)'], write: 'first(value ORDER BY score NULLS LAST)', over: SCORES },
  { calls: ['favg(value)'], write: 'avg(value)', over: SUMMED },
  { calls: ['fsum(value)', 'kahan_sum(value)', 'sumKahan(value)'], write: 'sum(value)', over: SUMMED },
  { calls: ['even(value)'], write: 'sign(value) * ceil(abs(value) / 2) * 2', over: NUMBERS },
  { calls: ['gamma(value)'], write: 'factorial(value - 1)', over: '(VALUES (1), (5), (20), (NULL)) t(value)' },
  { calls: ['lgamma(value)'], write: 'ln(factorial(value - 1))', over: '(VALUES (1), (5), (34), (NULL)) t(value)' },
  { calls: ['nextafter(value, 1e18)'], write: 'value + 1e-9', over: '(VALUES (NULL::DOUBLE)) t(value)', differs: /is not the next DOUBLE/, differing: '(VALUES (1::DOUBLE)) t(value)' },
  { calls: ['signbit(value)'], write: 'value < 0', over: NUMBERS, differs: /false for -0\.0/, differing: '(VALUES (-0.0::DOUBLE)) t(value)' },
  { calls: ['nfc_normalize(text)'], write: 'strip_accents(text)', over: "(VALUES ('abc'), (''), (NULL)) t(text)", differs: /without accents/, differing: "(VALUES ('e\u0301')) t(text)" },
  // Functions that the guard refuses whatever a host adds.
  { calls: ['list_where(list, mask)', 'array_where(list, mask)'], write: 'list_filter(list, lambda x, i: mask[i])', over: '(VALUES ([3, 1, NULL, 2], [true, false, true, false]), ([], []), (NULL, [true])) t(list, mask)' },
  { calls: ['list_select(list, places)', 'array_select(list, places)'], write: 'list_transform(places, lambda i: list[i])', over: '(VALUES ([3, 1, NULL, 2], [2, 1, 3, 9]), ([5], []), ([1], NULL)) t(list, places)', differs: /NULLs for a NULL list/, differing: '(VALUES (NULL::INTEGER[], [1])) t(list, places)' },
  { calls: ['struct_keys(value)'], write: 'json_keys(to_json(value))', over: STRUCTS },
  { calls: ['CAST(json_structure(value) AS VARCHAR)'], write: 'json_type(value)', over: '(VALUES (NULL::JSON)) t(value)', differs: /tell one level/, differing: JSONS },
  { calls: ['json_contains(value, to_json(text))'], write: "list_contains(json_extract_string(value, '$[*]'), text)", over: `(VALUES ('["a","ü"]'::JSON, 'ü'), ('["a"]', 'b')) t(value, text)`, differs: /looks at one level/, differing: `(VALUES ('[["a"]]'::JSON, 'a')) t(value, text)` },
  ...['list_aggr', 'list_aggregate', 'array_aggr', 'array_aggregate', 'aggregate'].map(name => ({ calls: [`${name}(list, 'sum')`], write: 'list_sum', run: 'list_sum(list)', over: LISTS })),
]

/** Functions of the engine for which nothing gives the same answer, and what the hint says. */
export const WITHOUT: Readonly<Record<string, RegExp>> = {
  unbin: /no function reads binary digits/,
  from_binary: /no function reads binary digits/,
  bitstring: /not strings of bits/,
  bitstring_agg: /not strings of bits/,
  bit_position: /not strings of bits/,
  parse_formatted_bytes: /no function reads units/,
  bar: /no function draws it/,
  normalized_interval: /compares 40 days as a month and 10 days/,
  from_json: /one by one/,
  from_json_strict: /one by one/,
  json_transform: /one by one/,
  json_transform_strict: /one by one/,
  json_merge_patch: /one by one/,
  json_group_structure: /tell one level/,
  fill: /which repeats the value before/,
  reservoir_quantile: /draw no sample/,
  query: /in FROM/,
  query_table: /in FROM/,
}

/** Names that other databases have: what the hint says, run over values, and its value. */
// biome-ignore format: one case per line
export const ELSEWHERE: readonly [names: string, write: string, run: string, value: unknown][] = [
  ['soundex similarity', 'jaro_winkler_similarity(a, b)', "jaro_winkler_similarity('duck', 'duck')", 1],
  ['average', 'avg(value)', '(SELECT avg(value) FROM (VALUES (1), (4)) t(value))', 2.5],
  ['nvl isnull zeroifnull', 'coalesce(value, other)', 'coalesce(NULL, 7)', 7],
  ['iif iff', 'CASE WHEN … THEN … ELSE … END', "CASE WHEN 1 > 2 THEN 'a' ELSE 'b' END", 'b'],
  ['convert to_number to_decimal tochar', 'CAST(value AS type)', "CAST('12' AS INTEGER)", 12],
  ['safe_divide', 'a / nullif(b, 0)', '7 / nullif(0, 0)', null],
  ['to_char date_format format_date datename', "strftime(value, '%Y-%m-%d')", "strftime(DATE '2026-02-03', '%Y-%m-%d')", '2026-02-03'],
  ['to_date str_to_date parse_date parse_timestamp', "strptime(text, '%Y-%m-%d')", "CAST(strptime('2026-02-03', '%Y-%m-%d') AS VARCHAR)", '2026-02-03 00:00:00'],
  ['to_date', 'CAST(text AS DATE)', "CAST(CAST('2026-02-03' AS DATE) AS VARCHAR)", '2026-02-03'],
  ['dateadd adddate date_add_days add_months timestampadd', '+ INTERVAL 1 DAY', "CAST(DATE '2026-02-28' + INTERVAL 1 DAY AS VARCHAR)", '2026-03-01 00:00:00'],
  ['timestampdiff', "date_diff('day', a, b)", "date_diff('day', DATE '2026-02-01', DATE '2026-03-01')", '28'],
  ['datefromparts', 'make_date(year, month, day)', 'CAST(make_date(2026, 2, 3) AS VARCHAR)', '2026-02-03'],
  ['eomonth', 'last_day(date)', "CAST(last_day(DATE '2028-02-03') AS VARCHAR)", '2028-02-29'],
  ['getdate sysdate curdate getutcdate', 'now()', 'now() IS NULL', false],
  ['charindex locate', 'strpos(text, part)', "strpos('übung', 'ung')", '3'],
  ['initcap', 'upper(text[1]) || lower(text[2:])', "upper('élan VITAL'[1]) || lower('élan VITAL'[2:])", 'Élan vital'],
  ['substring_index', "split_part(text, ',', 1)", "split_part('a,b,c', ',', 1)", 'a'],
  ['regexp_like rlike', 'regexp_matches(text, pattern)', "regexp_matches('abc', 'b+')", true],
  ['regexp_substr', 'regexp_extract(text, pattern)', "regexp_extract('abbc', 'b+')", 'bb'],
  ['regexp_count', 'len(regexp_extract_all(text, pattern))', "len(regexp_extract_all('abab', 'b'))", '2'],
  ['stdev', 'stddev(value)', '(SELECT stddev(value) FROM (VALUES (1), (1)) t(value))', 0],
  ['var', 'var_samp(value)', '(SELECT var_samp(value) FROM (VALUES (1), (3)) t(value))', 2],
  ['percentile', 'quantile_cont(value, 0.5)', '(SELECT quantile_cont(value, 0.5) FROM (VALUES (1), (2)) t(value))', 1.5],
  ['explode', 'unnest(list)', '(SELECT sum(x)::INTEGER FROM (SELECT unnest([1, 2]) AS x))', 3],
  ['generate_array', 'range(…)', '(SELECT count(*)::INTEGER FROM range(3))', 3],
  ['json_extract_scalar get_json_object', "json_extract_string(value, '$.path')", `json_extract_string('{"path":"x"}', '$.path')`, 'x'],
  ['rand', 'random()', 'random() < 1', true],
  ['truncate', 'trunc(value)', 'trunc(-1.7)::INTEGER', -1],
]
