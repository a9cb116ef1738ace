/** Reviewed functions that queries rarely need, and what to write instead. A host adds them by name. */
const EXTRAS: readonly { names: string; instead: string }[] = [
  {
    names: 'struct_contains struct_has struct_indexof struct_position struct_values',
    instead: 'Name the members: value.member.',
  },
  {
    names: 'struct_concat struct_insert struct_update',
    instead: "Build the struct: {'a': value.a, 'b': 2}.",
  },
  { names: 'struct_extract_at', instead: 'Name the member: value.member.' },
  { names: 'union_extract union_tag union_value', instead: 'Use a column for each type, or CASE.' },
  {
    names: 'enum_code enum_first enum_last enum_range enum_range_boundary',
    instead: 'Compare the values as strings: CAST(value AS VARCHAR).',
  },
  {
    names: 'map_contains_entry map_contains_value map_extract_value',
    instead: 'Read the value of a key: map[key], or list_contains(map_values(map), value).',
  },
  {
    names: 'equi_width_bins histogram_exact',
    instead: 'Use histogram(value), or GROUP BY floor(value / width) * width.',
  },
  { names: 'list_histogram', instead: 'Use unnest(list) in a subquery, and GROUP BY.' },
  { names: 'decode', instead: 'Use CAST(value AS VARCHAR), or from text hex(encode(text)).' },
  {
    names: 'url_decode url_encode',
    instead: "Decode the string where it is shown, or use replace(string, '%20', ' ').",
  },
  {
    names: 'unhex from_hex unbin from_binary from_base64',
    instead: 'Compare the encoded strings: hex(value), base64(value).',
  },
  { names: 'bin to_binary to_base', instead: "Use hex(value), or printf('%x', value)." },
  {
    names: 'bitstring bitstring_agg bit_position get_bit set_bit',
    instead: 'Use numbers with &, |, <<, >> and bit_count.',
  },
  { names: 'bit_length octet_length', instead: 'Use strlen(text), which counts bytes.' },
  {
    names: `
    array_cross_product array_cosine_distance array_cosine_similarity array_distance array_dot_product
    array_inner_product array_negative_dot_product array_negative_inner_product list_cosine_distance
    list_cosine_similarity list_distance list_dot_product list_inner_product list_negative_dot_product
    list_negative_inner_product <-> <=>
    `,
    instead: 'Sum over the elements: list_sum(list_transform(list_zip(a, b), lambda p: p[1] * p[2])).',
  },
  {
    names: 'array_grade_up grade_up list_grade_up',
    instead: 'Use list_sort(list), or unnest the list and number it with row_number().',
  },
  { names: 'array_resize list_resize', instead: 'Use a slice, list[1:3], or list_concat.' },
  { names: 'array_pop_back array_pop_front', instead: 'Use a slice: list[1:-2] or list[2:].' },
  {
    names: 'array_push_back array_push_front',
    instead: 'Use list_append(list, value) or list_prepend(value, list).',
  },
  { names: 'array_to_string_comma_default', instead: "Use array_to_string(list, ',')." },
  { names: 'generate_subscripts', instead: 'Use range(1, len(list) + 1).' },
  {
    names: `
    list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or list_kurtosis list_kurtosis_pop
    list_skewness list_sem list_mad list_entropy list_approx_count_distinct
    `,
    instead: 'Use unnest(list) in a subquery, and aggregate.',
  },
  {
    names: 'json_quote json_extract_path json_extract_path_text json_pretty',
    instead: "Use to_json(value), json_extract(value, '$.path') or json_extract_string.",
  },
  { names: 'array_to_json row_to_json', instead: 'Use to_json(value).' },
  { names: 'editdist3', instead: 'Use levenshtein(a, b).' },
  { names: 'mismatches', instead: 'Use hamming(a, b).' },
  {
    names: 'parse_dirname parse_dirpath parse_filename parse_path',
    instead: "Use split_part(text, '/', 1) or regexp_extract(text, pattern).",
  },
  {
    names: 'format_bytes formatreadabledecimalsize formatreadablesize parse_formatted_bytes',
    instead: 'Divide: round(bytes / 1e6, 1).',
  },
  { names: 'bar', instead: 'Return the number, and draw it where it is shown.' },
  {
    names: 'left_grapheme right_grapheme substring_grapheme length_grapheme',
    instead: 'Use left, right, substring or length.',
  },
  {
    names: 'md5_number md5_number_lower md5_number_upper',
    instead: 'Use md5(text), or hash(value) for a number.',
  },
  { names: 'uuidv4 uuidv7', instead: 'Use uuid().' },
  { names: 'uuid_extract_timestamp uuid_extract_version', instead: 'Keep the time in a column of its own.' },
  {
    names: 'era millennium timezone_hour timezone_minute normalized_interval nanosecond',
    instead: "Use date_part, for instance date_part('year', value).",
  },
  { names: 'julian', instead: "Use date_diff('day', DATE '2000-01-01', value)." },
  { names: 'alias', instead: 'Write the name as a string.' },
  { names: 'add divide multiply subtract', instead: 'Use the operator: a + b, a // b, a * b, a - b.' },
  {
    names: 'arg_max_null arg_max_nulls_last arg_min_null arg_min_nulls_last',
    instead: 'Use arg_max(value, by) or arg_min(value, by).',
  },
  { names: 'favg', instead: 'Use avg(value).' },
  { names: 'fsum kahan_sum sumkahan', instead: 'Use sum(value).' },
  { names: 'even gamma lgamma nextafter signbit', instead: 'Use round, ceil, floor, factorial or sign.' },
  { names: 'nfc_normalize', instead: 'Use strip_accents(string), or compare the strings as they are.' },
]

const BY_NAME = new Map(
  EXTRAS.flatMap(({ names, instead }) =>
    names
      .trim()
      .split(/\s+/)
      .map(name => [name, instead] as const),
  ),
)

/** Names of the functions that a host may add to those that queries call. */
export const EXTRA_FUNCTIONS: ReadonlySet<string> = new Set(BY_NAME.keys())

/** What to write instead of a function that a host may add; null for any other name. */
export function insteadOfExtra(name: string): string | null {
  return BY_NAME.get(name) ?? null
}
