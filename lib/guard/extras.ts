/**
 * Reviewed functions that queries rarely need, and what to write instead: it gives the same answer, or says how it differs. A
 * host adds the functions by name.
 */
const EXTRAS: readonly { names: string; instead: string }[] = [
  {
    names: 'struct_values',
    instead: 'Name the members: row(value.a, value.b), which has NULL members for a NULL struct.',
  },
  { names: 'struct_concat', instead: "Build the struct: {'a': value.a, 'b': value.b, 'c': other.c}." },
  { names: 'struct_insert', instead: "Build the struct: {'a': value.a, 'b': value.b, 'c': 3}." },
  { names: 'struct_update', instead: "Build the struct: {'a': value.a, 'b': 3}." },
  { names: 'struct_extract_at', instead: 'Name the member: value.a, or value[1] where it has no name.' },
  { names: 'union_extract', instead: 'Name the member: value.n.' },
  {
    names: 'union_tag',
    instead:
      "Use CASE WHEN value.n IS NOT NULL THEN 'n' WHEN value.s IS NOT NULL THEN 's' END, which is NULL for a NULL member.",
  },
  { names: 'union_value', instead: 'Use a cast: CAST(value AS UNION(n INTEGER)).' },
  {
    names: 'enum_code',
    instead: "Write the values as a list: list_position(['low', 'high'], CAST(value AS VARCHAR)) - 1.",
  },
  { names: 'enum_first', instead: "Write the value: 'low'." },
  { names: 'enum_last', instead: "Write the value: 'high'." },
  { names: 'enum_range', instead: "Write the values as a list: ['low', 'high']." },
  {
    names: 'map_contains_entry',
    instead: "Use list_contains(map_entries(map), {'key': key, 'value': value}).",
  },
  { names: 'map_contains_value', instead: 'Use list_contains(map_values(map), value).' },
  { names: 'map_extract_value', instead: 'Use map[key].' },
  {
    names: 'equi_width_bins',
    instead:
      'Use list_transform(range(1, n + 1), lambda i: low + i * (high - low) / n), which does not round the bounds to nice numbers.',
  },
  {
    names: 'histogram_exact',
    instead: 'Use histogram(value), which counts every value and not those of a list alone.',
  },
  {
    names: 'decode',
    instead:
      'Store strings as VARCHAR: CAST(value AS VARCHAR) gives the string only where all bytes are ASCII, and writes others as \\xC3.',
  },
  {
    names: 'url_encode',
    instead: "Encode the string where it is used: replace(text, ' ', '%20') encodes blanks alone.",
  },
  {
    names: 'unhex from_hex',
    instead:
      'Compare the encoded strings: hex(value) = upper(text), where text has two digits for each byte.',
  },
  {
    names: 'unbin from_binary',
    instead: 'Keep the number beside its digits: no function reads binary digits.',
  },
  {
    names: 'bin to_binary',
    instead: "Use format('{:b}', value), which writes a negative number with a sign.",
  },
  {
    names: 'to_base',
    instead:
      "Use format('{:b}', value), format('{:o}', value) or format('{:X}', value), for the bases 2, 8 and 16 alone.",
  },
  {
    names: 'get_bit',
    instead: 'Use a number: (value >> i) & 1, where i counts from the last bit, not from the first.',
  },
  {
    names: 'set_bit',
    instead: 'Use a number: value | (1 << i), where i counts from the last bit, not from the first.',
  },
  {
    names: 'bitstring bitstring_agg bit_position',
    instead: 'Use numbers with &, |, <<, >> and bit_count, which are not strings of bits.',
  },
  { names: 'bit_length', instead: 'Use strlen(text) * 8.' },
  { names: 'octet_length', instead: 'Use len(hex(value)) // 2.' },
  {
    names: 'array_grade_up grade_up list_grade_up',
    instead:
      "Use list_transform(list_sort(list_transform(list, lambda x, i: {'x': x, 'i': i})), lambda p: p.i).",
  },
  {
    names: 'array_resize list_resize',
    instead:
      'Use a slice, (list || list_transform(range(5 - len(list)), lambda i: NULL))[1:5], with the value in place of NULL.',
  },
  { names: 'array_pop_back', instead: 'Use a slice: list[1:-2].' },
  { names: 'array_pop_front', instead: 'Use a slice: list[2:].' },
  { names: 'array_push_back', instead: 'Use list_append(list, value).' },
  { names: 'array_push_front', instead: 'Use list_prepend(value, list).' },
  { names: 'array_to_string_comma_default', instead: "Use array_to_string(list, ',')." },
  { names: 'generate_subscripts', instead: 'Use unnest(range(1, len(list) + 1)).' },
  {
    names:
      'list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or list_kurtosis list_kurtosis_pop list_skewness list_sem list_mad',
    instead: 'Use a subquery: (SELECT NAME(x) FROM unnest(list) t(x)).',
  },
  {
    names: 'list_entropy list_approx_count_distinct',
    instead: 'Use a subquery: (SELECT NAME(x) FROM unnest(list) t(x)), which is NULL for an empty list.',
  },
  { names: 'json_quote', instead: 'Use to_json(value).' },
  { names: 'json_extract_path', instead: "Use json_extract(value, '$.a')." },
  { names: 'json_extract_path_text', instead: "Use json_extract_string(value, '$.a')." },
  { names: 'json_pretty', instead: 'Use to_json(value), which has no line breaks.' },
  { names: 'array_to_json row_to_json', instead: 'Use to_json(value).' },
  { names: 'editdist3', instead: 'Use levenshtein(a, b).' },
  { names: 'mismatches', instead: 'Use hamming(a, b).' },
  { names: 'parse_filename', instead: "Use regexp_extract(text, '[^/\\\\]*$')." },
  {
    names: 'parse_dirname',
    instead:
      "Use regexp_extract(text, '^([^/\\\\]*)[/\\\\]', 1), which is empty where the path begins with a slash.",
  },
  { names: 'parse_dirpath', instead: "Use regexp_extract(text, '^(.*)[/\\\\]', 1)." },
  {
    names: 'parse_path',
    instead: "Use string_split(text, '/'), whose parts may be empty, and which splits at no backslash.",
  },
  { names: 'parse_formatted_bytes', instead: 'Store the size as a number: no function reads units.' },
  { names: 'bar', instead: 'Return the number, and draw it where it is shown: no function draws it.' },
  {
    names: 'left_grapheme right_grapheme substring_grapheme length_grapheme',
    instead:
      'Use left(text, n), right(text, n), substring(text, i, n) or length(text), which count characters of Unicode: some signs have several.',
  },
  {
    names: 'md5_number md5_number_lower md5_number_upper',
    instead: 'Use md5(text), which is the same hash in hexadecimal digits.',
  },
  { names: 'uuidv4', instead: 'Use uuid().' },
  { names: 'uuidv7', instead: 'Use uuid(), which does not begin with the time.' },
  {
    names: 'uuid_extract_timestamp',
    instead:
      "Use to_timestamp(CAST('0x' || left(replace(CAST(value AS VARCHAR), '-', ''), 12) AS BIGINT) / 1000).",
  },
  {
    names: 'uuid_extract_version',
    instead: 'Use CAST(substring(CAST(value AS VARCHAR), 15, 1) AS INTEGER).',
  },
  { names: 'era millennium timezone_hour timezone_minute', instead: "Use date_part('NAME', value)." },
  {
    names: 'normalized_interval',
    instead: 'Use the interval as it is: the engine compares 40 days as a month and 10 days.',
  },
  {
    names: 'nanosecond',
    instead: 'Use microsecond(value) * 1000, which lacks the last three digits of a TIMESTAMP_NS.',
  },
  { names: 'julian', instead: 'Use epoch(value) / 86400 + 2440588.' },
  { names: 'alias', instead: "Write the name as a string: 'value'." },
  { names: 'add', instead: 'Use the operator: a + b.' },
  { names: 'divide', instead: 'Use the operator: a // b.' },
  { names: 'multiply', instead: 'Use the operator: a * b.' },
  { names: 'subtract', instead: 'Use the operator: a - b.' },
  { names: 'arg_max_null', instead: 'Use first(value ORDER BY score DESC) FILTER (score IS NOT NULL).' },
  { names: 'arg_min_null', instead: 'Use first(value ORDER BY score) FILTER (score IS NOT NULL).' },
  { names: 'arg_max_nulls_last', instead: 'Use first(value ORDER BY score DESC NULLS LAST).' },
  { names: 'arg_min_nulls_last', instead: 'Use first(value ORDER BY score NULLS LAST).' },
  { names: 'favg', instead: 'Use avg(value), whose last digits may differ.' },
  { names: 'fsum kahan_sum sumkahan', instead: 'Use sum(value), whose last digits may differ.' },
  { names: 'even', instead: 'Use sign(value) * ceil(abs(value) / 2) * 2.' },
  { names: 'gamma', instead: 'Use factorial(value - 1), for whole numbers alone.' },
  { names: 'lgamma', instead: 'Use ln(factorial(value - 1)), for whole numbers up to 34 alone.' },
  { names: 'nextafter', instead: 'Add a small number: value + 1e-9 is not the next DOUBLE.' },
  { names: 'signbit', instead: 'Use value < 0, which is false for -0.0.' },
  {
    names: 'nfc_normalize',
    instead: 'Compare the strings as they are, or without accents: strip_accents(text).',
  },
]

/** Stands for the name of the function, without the prefix of those over lists. */
const NAME = 'NAME'

const BY_NAME = new Map(
  EXTRAS.flatMap(({ names, instead }) =>
    names.split(' ').map(name => [name, instead.replace(NAME, name.replace(/^list_/, ''))] as const),
  ),
)

/** Names of the functions that a host may add to those that queries call. */
export const EXTRA_FUNCTIONS: ReadonlySet<string> = new Set(BY_NAME.keys())

/** What to write instead of a function that a host may add; null for any other name. */
export function insteadOfExtra(name: string): string | null {
  return BY_NAME.get(name) ?? null
}
