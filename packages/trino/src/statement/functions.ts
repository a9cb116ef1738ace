/**
 * The functions of Trino 476 that a statement may call, each read and tried. Left out are those that plugins
 * add, those that tell of the cluster (`current_groups`, `table_changes`), and those that take memory without
 * a bound that Trino counts: `bar`, `color`, `combinations`, `ngrams`, `reduce` and `reduce_agg`.
 */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  `abs acos all_match any_match any_value approx_distinct approx_most_frequent approx_percentile approx_set
  arbitrary array_agg array_distinct array_except array_histogram array_intersect array_join array_max
  array_min array_position array_remove array_sort array_union arrays_overlap asin at_timezone atan atan2 avg
  beta_cdf bit_count bitwise_and bitwise_and_agg bitwise_left_shift bitwise_not bitwise_or bitwise_or_agg
  bitwise_right_shift bitwise_right_shift_arithmetic bitwise_xor bitwise_xor_agg bool_and bool_or cardinality
  cbrt ceil ceiling checksum chr classifier codepoint concat concat_ws contains contains_sequence corr cos
  cosh cosine_distance cosine_similarity count count_if covar_pop covar_samp crc32 cume_dist date date_add
  date_diff date_format date_parse date_trunc day day_of_month day_of_week day_of_year degrees dense_rank
  dot_product dow doy e element_at empty_approx_set euclidean_distance every exclude_columns exp filter first
  first_value flatten floor format format_datetime format_number from_base from_base32 from_base64
  from_base64url from_big_endian_32 from_big_endian_64 from_hex from_ieee754_32 from_ieee754_64
  from_iso8601_date from_iso8601_timestamp from_iso8601_timestamp_nanos from_unixtime from_unixtime_nanos
  from_utf8 geometric_mean greatest hamming_distance hash_counts histogram hmac_md5 hmac_sha1 hmac_sha256
  hmac_sha512 hour human_readable_seconds infinity intersection_cardinality inverse_beta_cdf
  inverse_normal_cdf is_finite is_infinite is_json_scalar is_nan jaccard_index json_array_contains
  json_array_get json_array_length json_extract json_extract_scalar json_format json_parse json_size kurtosis
  lag last last_day_of_month last_value lead least length levenshtein_distance ln log log10 log2 lower lpad
  ltrim luhn_check make_set_digest map map_agg map_concat map_entries map_filter map_from_entries map_keys
  map_union map_values map_zip_with match_number max max_by md5 merge merge_set_digest millisecond min min_by
  minute mod month multimap_agg multimap_from_entries murmur3 nan next none_match normal_cdf now nth_value
  ntile numeric_histogram parse_data_size parse_datetime parse_duration parse_presto_data_size percent_rank pi
  pow power prev qdigest_agg quantile_at_value quarter radians rand random rank regexp_count regexp_extract
  regexp_extract_all regexp_like regexp_position regexp_replace regexp_split regr_intercept regr_slope repeat
  replace reverse round row_number rpad rtrim second sequence sha1 sha256 sha512 shuffle sign sin sinh
  skewness slice soundex split split_part split_to_map split_to_multimap spooky_hash_v2_32 spooky_hash_v2_64
  sqrt starts_with stddev stddev_pop stddev_samp strpos substr sum t_cdf t_pdf tan tanh tdigest_agg timezone
  timezone_hour timezone_minute to_base to_base32 to_base64 to_base64url to_big_endian_32 to_big_endian_64
  to_hex to_ieee754_32 to_ieee754_64 to_iso8601 to_milliseconds to_unixtime to_utf8 transform transform_keys
  transform_values translate trim_array truncate typeof upper url_decode url_encode url_extract_fragment
  url_extract_host url_extract_parameter url_extract_path url_extract_port url_extract_protocol
  url_extract_query uuid value_at_quantile values_at_quantiles var_pop var_samp variance week week_of_year
  width_bucket wilson_interval_lower wilson_interval_upper with_timezone word_stem xxhash64 year year_of_week
  yow zip zip_with`.split(/\s+/),
)

/** Words behind which an expression may begin, or a list, or a query. */
export const BEFORE_EXPRESSIONS: ReadonlySet<string> = new Set(
  `ALL AND ANY AS BETWEEN BOTH BY CASE DEFAULT DISTINCT ELSE ESCAPE EXCEPT EXISTS FINAL FOR FROM GROUPS HAVING
  IN INTERSECT IS JOIN KEY LATERAL LEADING LIKE LIMIT NOT OFFSET ON OR PASSING RANGE ROWS RUNNING SELECT SETS
  SOME THEN TRAILING UNION USING VALUE VALUES WHEN WHERE ZONE`.split(/\s+/),
)

/** Words of Trino's grammar that a parenthesis may follow, and that are no function there. */
export const SYNTAX: ReadonlySet<string> = new Set([
  ...BEFORE_EXPRESSIONS,
  ...`APPLY ARRAY BERNOULLI CAST CHAR CHARACTER COALESCE COLUMNS CUBE CURRENT_TIME CURRENT_TIMESTAMP DEC
  DECIMAL DESCRIPTOR EXTRACT FILTER FIRST FUNCTION GROUP GROUPING IF JSON_ARRAY JSON_EXISTS JSON_OBJECT
  JSON_QUERY JSON_TABLE JSON_VALUE LISTAGG LOCALTIME LOCALTIMESTAMP MAP MATCH_RECOGNIZE NEXT NORMALIZE NULLIF
  NUMERIC OVER PATTERN PERMUTE PLAN POSITION ROLLUP ROW SUBSTRING SYSTEM TABLE TIME TIMESTAMP TRIM TRY
  TRY_CAST UNNEST VARCHAR`.split(/\s+/),
])
