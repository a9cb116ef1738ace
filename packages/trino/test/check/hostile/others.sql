What other tenants have, and what the cluster knows.

--- view of another tenant | text
SELECT * FROM p_0000000000000bad.amounts
--- view of another tenant, with its catalog | text
SELECT * FROM iceberg.p_0000000000000bad.amounts
--- view of another tenant, quoted | text
SELECT * FROM "iceberg"."p_0000000000000bad"."amounts"
--- view of another tenant, in capitals | text
SELECT * FROM "P_0000000000000BAD"."AMOUNTS"
--- view of another tenant, by TABLE | text
TABLE p_0000000000000bad.amounts
--- view of another tenant, in a scalar subquery | text
SELECT (SELECT max(word) FROM p_0000000000000bad.amounts)
--- view of another tenant, in EXISTS | text
SELECT 1 WHERE EXISTS (SELECT 1 FROM p_0000000000000bad.amounts WHERE word LIKE 'k%')
--- view of another tenant, in a CTE that nothing reads | text
WITH a AS (SELECT * FROM p_0000000000000bad.amounts) SELECT 1
--- view of another tenant, in LATERAL | text
SELECT * FROM amounts CROSS JOIN LATERAL (SELECT * FROM p_0000000000000bad.amounts) x
--- view of another tenant, in a branch that is never taken | text
SELECT IF(false, (SELECT max(word) FROM p_0000000000000bad.amounts), 'x')
--- view of another tenant, as an argument of a table function | text
SELECT * FROM TABLE(exclude_columns(input => TABLE(p_0000000000000bad.amounts), columns => DESCRIPTOR(n)))
--- view of another tenant, as a query in a table function | text
SELECT * FROM TABLE(exclude_columns(input => TABLE(SELECT * FROM p_0000000000000bad.amounts), columns => DESCRIPTOR(n)))
--- view of another tenant, in MATCH_RECOGNIZE | text
SELECT * FROM p_0000000000000bad.amounts MATCH_RECOGNIZE (MEASURES word AS w PATTERN (A) DEFINE A AS true)
--- view of another tenant, in a sample | text
SELECT * FROM p_0000000000000bad.amounts TABLESAMPLE BERNOULLI (100)
--- view of another tenant, under a column that must not be known | text
SELECT nothing_like_it FROM p_0000000000000bad.amounts
--- schema of another tenant that may be there | text
SELECT * FROM p_0000000000000bae.amounts
--- table below the view | text
SELECT * FROM s_0000000000000bad.amounts
--- table of a snapshot of another tenant, by an earlier version | text
SELECT * FROM s_0000000000000bad.amounts FOR VERSION AS OF 1
--- table by an earlier time | text
SELECT * FROM s_0000000000000bad.amounts FOR TIMESTAMP AS OF TIMESTAMP '2020-01-01 00:00:00 UTC'
--- own view by an earlier version | text
SELECT * FROM amounts FOR VERSION AS OF 1
--- queries of others | run
SELECT query FROM system.runtime.queries
--- queries of others, quoted | run
SELECT "query" FROM "system"."runtime"."queries"
--- nodes | run
SELECT * FROM system.runtime.nodes
--- tasks | run
SELECT * FROM system.runtime.tasks
--- transactions | run
SELECT * FROM system.runtime.transactions
--- catalogs | run
SELECT * FROM system.metadata.catalogs
--- comments of tables | run
SELECT * FROM system.metadata.table_comments
--- properties of tables | run
SELECT * FROM system.metadata.table_properties
--- tables over JDBC | run
SELECT * FROM system.jdbc.tables
--- schemas over JDBC | run
SELECT * FROM system.jdbc.schemas
--- columns over JDBC | run
SELECT * FROM system.jdbc.columns
--- iceberg tables | run
SELECT * FROM iceberg.system.iceberg_tables
--- schemas of the catalog | text
SELECT * FROM information_schema.schemata
--- schemas of the catalog, with its name | text
SELECT schema_name FROM iceberg.information_schema.schemata
--- schemas of the catalog, quoted in capitals | text
SELECT * FROM "INFORMATION_SCHEMA"."SCHEMATA"
--- schemas of the catalog, behind a comment | text
SELECT * FROM information_schema/**/./**/schemata
--- views | text
SELECT view_definition FROM information_schema.views
--- tables of the system catalog | text
SELECT * FROM system.information_schema.tables
--- own user | text
SELECT current_user
--- own schema | text
SELECT current_schema
--- own catalog | text
SELECT current_catalog
--- groups of the user | text
SELECT current_groups()
--- snapshots of a table | text
SELECT * FROM s_0000000000000bad."amounts$snapshots"
--- files of a table | text
SELECT * FROM s_0000000000000bad."amounts$files"
--- files of the own view | text
SELECT * FROM "amounts$files"
--- properties of a table | text
SELECT * FROM "amounts$properties"
--- history | text
SELECT * FROM "amounts$history"
--- manifests | text
SELECT * FROM "amounts$all_manifests"
--- metadata log entries | text
SELECT * FROM "amounts$metadata_log_entries"
--- path of a file | text
SELECT "$path" FROM amounts
--- time of a file | text
SELECT "$file_modified_time" FROM amounts
--- partition of a file | text
SELECT t."$partition" FROM amounts t
--- changes of a table | text
SELECT * FROM TABLE(iceberg.system.table_changes(schema_name => 's_0000000000000bad', table_name => 'amounts', start_snapshot_id => 1, end_snapshot_id => 2))
--- passthrough of a query | text
SELECT * FROM TABLE(iceberg.system.query(query => 'SELECT 1'))
--- passthrough of a query to PostgreSQL | text
SELECT * FROM TABLE(postgresql.system.query(query => 'SELECT 1'))
--- raw query of another connector | text
SELECT * FROM TABLE(elasticsearch.system.raw_query(schema => 's', index => 'i', query => '{}'))
--- procedure as a table | text
SELECT * FROM TABLE(iceberg.system.register_table('a', 'b', 'local:///x'))
--- function of a catalog | text
SELECT iceberg.system.bucket(1, 2)
--- function of another tenant's schema | text
SELECT p_0000000000000bad.f(1)
--- error that quotes another tenant's row | text
SELECT CAST((SELECT max(word) FROM p_0000000000000bad.amounts) AS int)
--- fail with another tenant's row | text
SELECT fail((SELECT max(word) FROM p_0000000000000bad.amounts))
