/**
 * The engine's names after review, pinned to {@link ENGINE_VERSION}: a name that no list allows is refused. A
 * new version of the engine adds names; a test compares these lists with those that the engine reports.
 */

/** Version of DuckDB whose functions were reviewed. */
export const ENGINE_VERSION = 'v1.5.6'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Functions that may be called by default: aggregates, scalars, window functions and operators. */
export const FUNCTIONS = words(`
  !__postfix !~~ !~~* % & && * ** + - ->> / // <-> << <=> <@ >> @ @> ^ ^@ abs acos acosh age ago any_value apply
  approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_min argmax argmin array_agg array_append
  array_apply array_cat array_concat array_contains array_cosine_distance array_cosine_similarity array_cross_product
  array_distance array_distinct array_dot_product array_extract array_filter array_has array_has_all array_has_any
  array_indexof array_inner_product array_intersect array_length array_negative_dot_product
  array_negative_inner_product array_position array_prepend array_reduce array_reverse array_reverse_sort array_slice
  array_sort array_to_string array_transform array_unique array_value array_zip ascii asin asinh atan atan2 atanh avg
  base64 bit_and bit_count bit_or bit_xor bool_and bool_or cardinality cbrt ceil ceiling century char_length
  character_length chr concat concat_ws contains corr cos cosh cot count count_if count_star countif covar_pop
  covar_samp cume_dist current_date current_localtime current_localtimestamp current_role current_user
  damerau_levenshtein date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day
  dayname dayofmonth dayofweek dayofyear days_in_month decade degrees dense_rank element_at encode ends_with entropy
  epoch epoch_ms epoch_ns epoch_us exp factorial fdiv filter first first_value flatten floor fmod format format_bytes
  formatreadabledecimalsize formatreadablesize from_base64 gcd gen_random_uuid generate_series geomean geometric_mean
  get_current_time get_current_timestamp greatest greatest_common_divisor group_concat hamming hash hex histogram
  hour ilike_escape instr isfinite isinf isnan isodow isoyear jaccard jaro_similarity jaro_winkler_similarity json
  json_array json_array_length json_exists json_extract json_extract_string json_group_array json_group_object
  json_keys json_object json_type json_valid json_value kurtosis kurtosis_pop lag last last_day last_value lcase lcm
  lead least least_common_multiple left len length levenshtein like_escape list list_any_value list_append list_apply
  list_avg list_cat list_concat list_contains list_cosine_distance list_cosine_similarity list_count list_distance
  list_distinct list_dot_product list_element list_extract list_filter list_first list_has list_has_all list_has_any
  list_histogram list_indexof list_inner_product list_intersect list_last list_max list_median list_min list_mode
  list_negative_dot_product list_negative_inner_product list_pack list_position list_prepend list_product list_reduce
  list_reverse list_reverse_sort list_slice list_sort list_stddev_pop list_stddev_samp list_string_agg list_sum
  list_transform list_unique list_value list_var_pop list_var_samp list_zip listagg ln log log10 log2 lower lpad
  ltrim mad make_date make_time make_timestamp make_timestamp_ms make_timestamp_ns make_timestamptz map map_concat
  map_contains map_entries map_extract map_from_entries map_keys map_values max max_by md5 mean median microsecond
  millisecond min min_by minute mod mode month monthname not_ilike_escape not_like_escape now nth_value ntile nullif
  ord percent_rank pi position pow power prefix printf product quantile quantile_cont quantile_disc quarter radians
  random range rank rank_dense reduce regexp_escape regexp_extract regexp_extract_all regexp_full_match
  regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regr_avgx regr_avgy regr_count
  regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse right round round_even
  roundbankers row row_number rpad rtrim second sem session_user sha1 sha256 sign sin sinh skewness split split_part
  sqrt starts_with stddev stddev_pop stddev_samp str_split str_split_regex strftime string_agg string_split
  string_split_regex string_to_array strip_accents strlen strpos strptime struct_contains struct_extract struct_has
  struct_indexof struct_pack struct_position substr substring suffix sum tan tanh time_bucket timezone to_base64
  to_centuries to_days to_decades to_hex to_hours to_json to_microseconds to_millennia to_milliseconds to_minutes
  to_months to_quarters to_seconds to_timestamp to_weeks to_years today transaction_timestamp translate trim trunc
  try_strptime typeof ucase unicode unnest unpivot_list upper url_decode user uuid var_pop var_samp variance wavg
  week weekday weekofyear weighted_avg xor year yearweek | || ~ ~~ ~~* ~~~
`)

/** Table functions allowed in FROM. */
export const TABLE_FUNCTIONS = words('unnest range generate_series json_each json_tree')

/** Types allowed in a cast. */
export const TYPES = words(`
  array bigint binary bit bitstring blob bool boolean bpchar bytea char date datetime dec decimal double enum float float4
  float8 guid hugeint int int1 int128 int16 int2 int32 int4 int64 int8 integer integral interval json list logical long
  map null numeric nvarchar oid real row short signed smallint string struct text time timestamp timestamp_ms
  timestamp_ns timestamp_s timestamp_us timestamptz timetz tinyint ubigint uhugeint uint128 uint16 uint32 uint64
  uint8 uinteger union usmallint utinyint uuid varbinary varchar
`)

/** Allowed type names of several words. */
export const LONG_TYPES: ReadonlySet<string> = new Set(['time with time zone', 'timestamp with time zone'])

/**
 * Functions whose value changes from call to call: the result of a statement that calls one is never shared.
 */
export const VOLATILE_FUNCTIONS = words(`
  random uuid gen_random_uuid uuidv4 uuidv7 now today get_current_time get_current_timestamp current_date
  current_time current_timestamp current_localtime current_localtimestamp transaction_timestamp age ago
`)

/** Column references that the engine turns into calls that read the clock. */
export const VOLATILE_COLUMNS = words('current_date current_time current_timestamp localtime localtimestamp')

/** Column references that the engine turns into calls that reveal its session. */
export const REFUSED_COLUMNS = words('current_schema current_catalog')

/** Column references that the engine turns into calls that name its user, the same for everyone. */
export const SESSION_COLUMNS = words('current_role current_user session_user user')

/** Known names that are refused, grouped by reason. A name on none of these lists is unknown. */
const REFUSED: readonly { reason: string; names: ReadonlySet<string> }[] = [
  {
    reason: 'it runs or reads SQL from a string',
    names: words(`
    check_peg_parser histogram_values json_deserialize_sql json_execute_serialized_sql json_serialize_plan
    json_serialize_sql query query_table sql_auto_complete
    `),
  },
  {
    reason: 'it picks a function by its name in a string',
    names: words(`
    aggregate array_aggr array_aggregate list_aggr list_aggregate
    `),
  },
  {
    reason: 'it has an effect outside the query',
    names: words(`
    checkpoint currval disable_logging disable_peg_parser disable_profiling enable_logging enable_peg_parser
    enable_profiling error force_checkpoint nextval pg_sleep setseed sleep_ms truncate_duckdb_logs write_log
    `),
  },
  {
    reason: 'it reads memory by address',
    names: words(`
    arrow_scan arrow_scan_dumb seq_scan
    `),
  },
  {
    reason: 'for a NULL it returns memory that it has not written',
    names: words(`
    struct_keys
    `),
  },
  {
    reason: 'it makes values out of their range',
    names: words(`
    fill
    `),
  },
  {
    reason: 'it reads files',
    names: words(`
    glob parquet_bloom_probe parquet_file_metadata parquet_full_metadata parquet_kv_metadata parquet_metadata
    parquet_scan parquet_schema read_blob read_csv read_csv_auto read_duckdb read_json read_json_auto
    read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto read_ndjson_objects read_parquet read_text
    sniff_csv
    `),
  },
  {
    reason: 'it can bring the engine down',
    names: words(`
    array_select array_where enum_range_boundary from_json from_json_strict is_histogram_other_bin json_contains
    json_group_structure json_merge_patch json_structure json_transform json_transform_strict list_select list_where
    reservoir_quantile switch
    `),
  },
  {
    reason: 'it works on types that results cannot hold',
    names: words(`
    can_cast_implicitly cast_to_type get_type make_type replace_type st_asbinary st_astext st_aswkb st_aswkt st_crs
    st_geomfromwkb st_intersects_extent st_setcrs variant_bytes_to_variant variant_extract variant_normalize
    variant_to_parquet_variant variant_typeof
    `),
  },
  {
    reason: 'it is internal to the engine',
    names: words(`
    combine constant_or_null create_sort_key finalize icu_sort_key remap_struct sum_no_overflow summary
    test_all_types test_vector_types timetz_byte_comparable vector_type
    `),
  },
  {
    reason: 'range and generate_series make rows',
    names: words(`
    repeat_row
    `),
  },
  {
    reason: 'it tells of the engine or the session',
    names: words(`
    current_catalog current_connection_id current_database current_query current_query_id current_schema
    current_schemas current_setting current_transaction_id duckdb_approx_database_count duckdb_columns
    duckdb_connection_count duckdb_constraints duckdb_coordinate_systems duckdb_databases duckdb_dependencies
    duckdb_extensions duckdb_external_file_cache duckdb_functions duckdb_indexes duckdb_keywords duckdb_log_contexts
    duckdb_logs duckdb_logs_parsed duckdb_memory duckdb_optimizers duckdb_prepared_statements
    duckdb_profiling_settings duckdb_schemas duckdb_secret_types duckdb_secrets duckdb_sequences duckdb_settings
    duckdb_table_sample duckdb_tables duckdb_temporary_files duckdb_types duckdb_variables duckdb_views
    get_block_size getvariable icu_calendar_names in_search_path parse_duckdb_log_message pg_timezone_names
    pragma_collations pragma_database_size pragma_metadata_info pragma_platform pragma_show pragma_storage_info
    pragma_table_info pragma_user_agent pragma_version stats txid_current version which_secret
    `),
  },
  {
    reason: 'it is a pragma, which shows or changes settings',
    names: words(`
    add_parquet_key all_profiling_output collations copy_database database_list database_size
    disable_checkpoint_on_shutdown disable_object_cache disable_optimizer disable_print_progress_bar disable_profile
    disable_progress_bar disable_verification disable_verify_external disable_verify_fetch_row
    disable_verify_parallelism disable_verify_serializer enable_checkpoint_on_shutdown enable_object_cache
    enable_optimizer enable_print_progress_bar enable_profile enable_progress_bar enable_verification
    extension_versions functions import_database metadata_info platform show show_databases show_tables
    show_tables_expanded storage_info table_info user_agent verify_external verify_fetch_row verify_parallelism
    verify_serializer
    `),
  },
  {
    reason: 'it is there for tools that take the engine for PostgreSQL',
    names: words(`
    col_description format_pg_type format_type has_any_column_privilege has_column_privilege has_database_privilege
    has_foreign_data_wrapper_privilege has_function_privilege has_language_privilege has_schema_privilege
    has_sequence_privilege has_server_privilege has_table_privilege has_tablespace_privilege inet_client_addr
    inet_client_port inet_server_addr inet_server_port map_to_pg_oid obj_description pg_collation_is_visible
    pg_conf_load_time pg_conversion_is_visible pg_function_is_visible pg_get_constraintdef pg_get_expr
    pg_get_viewdef pg_has_role pg_is_other_temp_schema pg_my_temp_schema pg_opclass_is_visible
    pg_operator_is_visible pg_opfamily_is_visible pg_postmaster_start_time pg_size_pretty pg_table_is_visible
    pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible pg_ts_template_is_visible
    pg_type_is_visible pg_typeof shobj_description
    `),
  },
]

/** Prefixes of internal functions that only the engine itself calls. */
const INTERNAL_FAMILY = /^(__internal_|icu_collate_)/

/** Functions allowed in expressions but not in FROM, with the reason. */
const REFUSED_IN_FROM: Readonly<Record<string, string>> = {
  histogram: 'in FROM it reads SQL from a string',
  repeat: 'in FROM, range and generate_series make rows',
}

/** Why this function is refused, as the end of a sentence; null for an unknown name. */
export function refusalReason(name: string): string | null {
  const group = REFUSED.find(entry => entry.names.has(name))
  if (group) return group.reason
  return INTERNAL_FAMILY.test(name) ? 'it is internal to the engine' : null
}

/** Why this function is refused in FROM, as the end of a sentence; null for an unknown name. */
export function tableRefusalReason(name: string): string | null {
  return Object.hasOwn(REFUSED_IN_FROM, name) ? (REFUSED_IN_FROM[name] ?? null) : refusalReason(name)
}
