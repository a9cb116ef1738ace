--- engine-info-02 | engine table function outside the allow list
SELECT * FROM duckdb_settings()
--- engine-info-03 | engine table function outside the allow list
SELECT * FROM duckdb_tables()
--- engine-info-04 | engine table function outside the allow list
SELECT * FROM duckdb_columns()
--- engine-info-07 | engine table function outside the allow list
SELECT * FROM duckdb_memory()
--- engine-info-08 | engine table function outside the allow list
SELECT * FROM duckdb_temporary_files()
--- engine-info-13 | engine table function outside the allow list
SELECT * FROM duckdb_logs()
--- engine-info-16 | engine table function outside the allow list
SELECT * FROM duckdb_profiling_settings()
--- engine-info-21 | engine table function outside the allow list
SELECT * FROM pragma_version()
--- engine-info-22 | engine table function outside the allow list
SELECT * FROM pragma_platform()
--- engine-info-24 | engine table function outside the allow list
SELECT * FROM pragma_table_info('fold_risks')
--- engine-info-26 | engine table function outside the allow list
SELECT * FROM pragma_storage_info('fold_risks')
--- engine-info-29 | engine table function outside the allow list
SELECT * FROM test_all_types()
--- engine-info-30 | engine table function outside the allow list
SELECT * FROM pg_timezone_names()
--- engine-info-38 | activity of other callers
SELECT txid_current() FROM dash_ipbes
--- engine-info-40 | activity of other callers
SELECT current_connection_id() FROM dash_ipbes
--- engine-info-42 | min/max of the stored column, even below a filter
SELECT stats(value) FROM dash_ipbes
--- engine-info-45 | macro over duckdb_constraints()
SELECT pg_get_constraintdef(1) FROM dash_ipbes
--- engine-info-48 | engine version
SELECT version() FROM dash_ipbes
--- engine-info-51 | a bare column reference becomes a function call
SELECT current_schema
--- engine-info-52 | a bare column reference becomes a function call
SELECT CURRENT_CATALOG FROM dash_ipbes
--- engine-info-53 | quoting does not stop it
SELECT "current_schema"
--- from-duckdb-approx-database-count | rule: function
SELECT * FROM duckdb_approx_database_count()
--- from-duckdb-connection-count | rule: function
SELECT * FROM duckdb_connection_count()
--- from-duckdb-constraints | rule: function
SELECT * FROM duckdb_constraints()
--- from-duckdb-coordinate-systems | rule: function
SELECT * FROM duckdb_coordinate_systems()
--- from-duckdb-databases | rule: function
SELECT * FROM duckdb_databases()
--- from-duckdb-dependencies | rule: function
SELECT * FROM duckdb_dependencies()
--- from-duckdb-extensions | rule: function
SELECT * FROM duckdb_extensions()
--- from-duckdb-external-file-cache | rule: function
SELECT * FROM duckdb_external_file_cache()
--- from-duckdb-functions | rule: function
SELECT * FROM duckdb_functions()
--- from-duckdb-indexes | rule: function
SELECT * FROM duckdb_indexes()
--- from-duckdb-keywords | rule: function
SELECT * FROM duckdb_keywords()
--- from-duckdb-log-contexts | rule: function
SELECT * FROM duckdb_log_contexts()
--- from-duckdb-logs-parsed | rule: function
SELECT * FROM duckdb_logs_parsed('x')
--- from-duckdb-optimizers | rule: function
SELECT * FROM duckdb_optimizers()
--- from-duckdb-prepared-statements | rule: function
SELECT * FROM duckdb_prepared_statements()
--- from-duckdb-schemas | rule: function
SELECT * FROM duckdb_schemas()
--- from-duckdb-secret-types | rule: function
SELECT * FROM duckdb_secret_types()
--- from-duckdb-secrets | rule: function
SELECT * FROM duckdb_secrets()
--- from-duckdb-sequences | rule: function
SELECT * FROM duckdb_sequences()
--- from-duckdb-table-sample | rule: function
SELECT * FROM duckdb_table_sample('fold_risks')
--- from-duckdb-types | rule: function
SELECT * FROM duckdb_types()
--- from-duckdb-variables | rule: function
SELECT * FROM duckdb_variables()
--- from-duckdb-views | rule: function
SELECT * FROM duckdb_views()
--- from-icu-calendar-names | rule: function
SELECT * FROM icu_calendar_names()
--- from-pragma-collations | rule: function
SELECT * FROM pragma_collations()
--- from-pragma-database-size | rule: function
SELECT * FROM pragma_database_size()
--- from-pragma-metadata-info | rule: function
SELECT * FROM pragma_metadata_info('fold_risks')
--- from-pragma-show | rule: function
SELECT * FROM pragma_show('fold_risks')
--- from-pragma-user-agent | rule: function
SELECT * FROM pragma_user_agent()
--- from-which-secret | rule: function
SELECT * FROM which_secret('x', 's3')
--- from-sql-auto-complete | rule: function
SELECT * FROM sql_auto_complete('SEL')
--- from-summary | rule: function
SELECT * FROM summary((SELECT * FROM fold_risks))
--- from-seq-scan | rule: function
SELECT * FROM seq_scan()
--- from-arrow-scan-dumb | rule: function
SELECT * FROM arrow_scan_dumb(1, 2, 3)
--- from-repeat-row | rule: function
SELECT * FROM repeat_row(1, num_rows = 3)
--- from-repeat | rule: function
SELECT * FROM repeat('x', 3)
--- call-current-setting | rule: function
SELECT current_setting('threads')
--- call-current-database | rule: function
SELECT current_database()
--- call-current-schema | rule: function
SELECT current_schema()
--- call-current-schemas | rule: function
SELECT current_schemas(true)
--- call-current-catalog | rule: function
SELECT current_catalog()
--- call-current-query | rule: function
SELECT current_query()
--- call-current-query-id | rule: function
SELECT current_query_id()
--- call-current-transaction-id | rule: function
SELECT current_transaction_id()
--- call-getvariable | rule: function
SELECT getvariable('x')
--- call-in-search-path | rule: function
SELECT in_search_path('memory', 'main')
--- call-get-block-size | rule: function
SELECT get_block_size('memory')
--- call-parse-duckdb-log-message | rule: function
SELECT parse_duckdb_log_message('QueryLog', 'x')
--- call-vector-type | rule: function
SELECT vector_type(1)
--- call-typeof-variant | rule: function
SELECT typeof_variant(1)
--- call-get-type | rule: function
SELECT get_type(1)
--- call-make-type | rule: function
SELECT make_type('INTEGER')
--- call-replace-type | rule: function
SELECT replace_type(1, 'INTEGER'::TYPE, 'BIGINT'::TYPE)
--- call-cast-to-type | rule: function
SELECT cast_to_type('1', 5)
--- call-can-cast-implicitly | rule: function
SELECT can_cast_implicitly(1, 2)
--- call-constant-or-null | rule: function
SELECT constant_or_null(1, 2)
--- call-create-sort-key | rule: function
SELECT create_sort_key(1, 'ASC')
--- call-icu-sort-key | rule: function
SELECT icu_sort_key('a', 'de')
--- call-timetz-byte-comparable | rule: function
SELECT timetz_byte_comparable(TIMETZ '10:00+00')
--- call-sum-no-overflow | rule: function
SELECT sum_no_overflow(1)
--- call-remap-struct | rule: function
SELECT remap_struct({'a': 1}, {'a': 1}, {'a': 'a'}, NULL)
--- call-internal-decompress-string | rule: function
SELECT __internal_decompress_string(1)
--- call-internal-compress-integral-usmallint | rule: function
SELECT __internal_compress_integral_usmallint(5, 1)
--- call-icu-collate-de | rule: function
SELECT icu_collate_de('a')
--- call-variant-extract | rule: function
SELECT variant_extract(1, 'a')
--- call-variant-normalize | rule: function
SELECT variant_normalize(1)
--- call-variant-typeof | rule: function
SELECT variant_typeof(1)
--- call-variant-to-parquet-variant | rule: function
SELECT variant_to_parquet_variant(1)
--- call-variant-bytes-to-variant | rule: function
SELECT variant_bytes_to_variant('a'::BLOB)
--- call-st-astext | rule: function
SELECT st_astext('x')
--- call-st-geomfromwkb | rule: function
SELECT st_geomfromwkb('x'::BLOB)
--- call-st-crs | rule: function
SELECT st_crs(1)
--- call-st-setcrs | rule: function
SELECT st_setcrs(1, 'x')
--- call-combine | rule: function
SELECT combine(1, 2)
--- call-pg-typeof | rule: function
SELECT pg_typeof(1)
--- call-format-type | rule: function
SELECT format_type(1, 2)
--- call-format-pg-type | rule: function
SELECT format_pg_type('x', 'y')
--- call-map-to-pg-oid | rule: function
SELECT map_to_pg_oid('x')
--- call-pg-get-viewdef | rule: function
SELECT pg_get_viewdef(1)
--- call-pg-get-expr | rule: function
SELECT pg_get_expr('x', 1)
--- call-pg-size-pretty | rule: function
SELECT pg_size_pretty(1)
--- call-pg-has-role | rule: function
SELECT pg_has_role('x', 'y')
--- call-has-table-privilege | rule: function
SELECT has_table_privilege('fold_risks', 'select')
--- call-has-any-column-privilege | rule: function
SELECT has_any_column_privilege('x', 'y')
--- call-has-column-privilege | rule: function
SELECT has_column_privilege('x', 'y', 'z')
--- call-has-database-privilege | rule: function
SELECT has_database_privilege('x', 'y')
--- call-has-function-privilege | rule: function
SELECT has_function_privilege('x', 'y')
--- call-has-schema-privilege | rule: function
SELECT has_schema_privilege('main', 'usage')
--- call-has-sequence-privilege | rule: function
SELECT has_sequence_privilege('x', 'y')
--- call-has-server-privilege | rule: function
SELECT has_server_privilege('x', 'y')
--- call-has-tablespace-privilege | rule: function
SELECT has_tablespace_privilege('x', 'y')
--- call-has-language-privilege | rule: function
SELECT has_language_privilege('x', 'y')
--- call-has-foreign-data-wrapper-privilege | rule: function
SELECT has_foreign_data_wrapper_privilege('x', 'y')
--- call-obj-description | rule: function
SELECT obj_description(1, 'x')
--- call-col-description | rule: function
SELECT col_description(1, 2)
--- call-shobj-description | rule: function
SELECT shobj_description(1, 'x')
--- call-inet-client-addr | rule: function
SELECT inet_client_addr()
--- call-inet-client-port | rule: function
SELECT inet_client_port()
--- call-inet-server-addr | rule: function
SELECT inet_server_addr()
--- call-inet-server-port | rule: function
SELECT inet_server_port()
--- call-pg-postmaster-start-time | rule: function
SELECT pg_postmaster_start_time()
--- call-pg-conf-load-time | rule: function
SELECT pg_conf_load_time()
--- call-pg-my-temp-schema | rule: function
SELECT pg_my_temp_schema()
--- call-pg-is-other-temp-schema | rule: function
SELECT pg_is_other_temp_schema(1)
--- call-pg-table-is-visible | rule: function
SELECT pg_table_is_visible(1)
--- call-pg-type-is-visible | rule: function
SELECT pg_type_is_visible(1)
--- call-pg-function-is-visible | rule: function
SELECT pg_function_is_visible(1)
--- call-pg-operator-is-visible | rule: function
SELECT pg_operator_is_visible(1)
--- call-pg-collation-is-visible | rule: function
SELECT pg_collation_is_visible(1)
--- call-pg-opclass-is-visible | rule: function
SELECT pg_opclass_is_visible(1)
--- call-pg-opfamily-is-visible | rule: function
SELECT pg_opfamily_is_visible(1)
--- call-pg-conversion-is-visible | rule: function
SELECT pg_conversion_is_visible(1)
--- call-pg-ts-config-is-visible | rule: function
SELECT pg_ts_config_is_visible(1)
--- call-pg-ts-dict-is-visible | rule: function
SELECT pg_ts_dict_is_visible(1)
--- call-pg-ts-parser-is-visible | rule: function
SELECT pg_ts_parser_is_visible(1)
--- call-pg-ts-template-is-visible | rule: function
SELECT pg_ts_template_is_visible(1)
--- setting-of-secrets | rule: function
SELECT current_setting('s3_secret_access_key')
--- setting-of-folders | rule: function
SELECT current_setting('temp_directory') FROM dash_ipbes
--- setting-in-upper-case | rule: function
SELECT "CURRENT_SETTING"('home_directory')
--- setting-with-a-schema | rule: function
SELECT main.current_setting('threads')
--- setting-with-a-database | rule: function
SELECT system.main.current_setting('threads')
--- setting-with-pg-catalog | rule: function
SELECT pg_catalog.current_setting('threads')
--- setting-by-method | rule: function
SELECT ('threads').current_setting()
--- setting-of-a-column | rule: function
SELECT ipbes_pressure.current_setting() FROM dash_ipbes
--- setting-of-a-table-column | rule: function
SELECT d.ipbes_pressure.current_setting() FROM dash_ipbes d
--- setting-in-a-lambda | rule: function
SELECT list_transform(['threads'], lambda x: current_setting(x))
--- setting-in-a-comprehension | rule: function
SELECT [current_setting(x) FOR x IN ['threads']]
--- setting-in-a-filter | rule: function
SELECT count(*) FILTER (WHERE current_setting('threads') = 1) FROM dash_ipbes
--- setting-in-a-window | rule: function
SELECT sum(value) OVER (ORDER BY current_setting('threads')) FROM dash_ipbes
--- setting-in-an-order-by | rule: function
SELECT value FROM dash_ipbes ORDER BY current_setting('threads')
--- setting-in-group-by | rule: function
SELECT count(*) FROM dash_ipbes GROUP BY current_setting('threads')
--- setting-in-a-limit | rule: function
SELECT value FROM dash_ipbes LIMIT current_setting('threads')::INTEGER
--- setting-in-a-replace | rule: function
SELECT * REPLACE (current_setting('threads') AS value) FROM dash_ipbes
--- setting-in-a-join | rule: function
SELECT 1 FROM dash_ipbes a JOIN dash_ipbes b ON current_setting('threads') = 1
--- setting-in-values | rule: function
VALUES (current_setting('threads'))
--- setting-in-a-range | rule: function
SELECT * FROM range(current_setting('threads')::INTEGER)
--- setting-in-a-pivot | rule: function
PIVOT dash_ipbes ON value + current_setting('threads') IN (1) USING count(*)
--- setting-in-a-collation-argument | rule: function
SELECT current_setting('x') COLLATE NOCASE
--- setting-in-a-default | rule: function
SELECT lag(value, 1, current_setting('x')) OVER () FROM dash_ipbes
--- setting-in-try | rule: function
SELECT try(current_setting('x'))
--- version-by-column | rule: function
SELECT version(), 1 FROM dash_ipbes
--- version-in-quotes | rule: function
SELECT "version"()
--- schema-in-a-column | rule: function
SELECT upper(current_schema) FROM dash_ipbes
--- catalog-in-a-case | rule: function
SELECT CASE WHEN current_catalog = 'x' THEN 1 END
--- schema-in-a-lambda | rule: function
SELECT list_transform([1], lambda x: current_schema)
--- schema-in-a-replace | rule: function
SELECT * REPLACE (current_schema AS value) FROM dash_ipbes
--- schema-in-order-by | rule: function
SELECT 1 FROM dash_ipbes ORDER BY current_schema
--- schema-in-mixed-case | rule: function
SELECT Current_Schema
--- catalog-in-a-pivot | rule: function
PIVOT dash_ipbes ON current_catalog IN ('x') USING count(*)
--- stats-by-method | rule: function
SELECT value.stats() FROM dash_ipbes
--- stats-of-a-table-column | rule: function
SELECT d.value.stats() FROM dash_ipbes d
--- server-version | rule: function
SELECT pg_catalog.version()
--- internal-of-the-optimizer | rule: function
SELECT __internal_decompress_integral_bigint(1::UTINYINT, 1)
--- unknown-in-this-engine | rule: function
SELECT system_user()
--- unknown-with-a-blank | rule: function
SELECT "upper "('a')
--- unknown-with-kelvin-sign | rule: function
SELECT "u⟦U+212A⟧"('a')
--- unknown-with-fullwidth | rule: function
SELECT "ｕpper"('a')
--- engine-functions-schema | rule: function
SELECT system.main.upper('a')
--- engine-functions-temp | rule: function
SELECT temp.main.upper('a')
--- engine-functions-memory | rule: function
SELECT memory.main.upper('a')
--- engine-functions-system-alone | rule: function
SELECT system.upper('a')
--- catalog-as-a-group-of-a-pivot | rule: construct
PIVOT dash_ipbes ON ipbes_pressure IN ('pollution') USING sum(value) GROUP BY current_catalog
--- schema-as-a-group-of-a-pivot | rule: construct
FROM (PIVOT dash_ipbes ON ipbes_pressure IN ('pollution') USING sum(value) GROUP BY ipbes_pressure, "current_schema")
