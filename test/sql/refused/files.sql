--- file-read-06 | URL
SELECT * FROM 'https://example.com/a.parquet'
--- file-read-08 | second relation is a file
SELECT * FROM dash_ipbes, 'data.csv' c
--- file-read-11 | file function
SELECT * FROM read_csv_auto('/etc/passwd')
--- file-read-14 | file function
SELECT * FROM read_parquet('x.parquet')
--- file-read-15 | file function
SELECT * FROM parquet_scan('x.parquet')
--- file-read-17 | file function
SELECT * FROM read_json_auto('x.json')
--- file-read-18 | file function
SELECT * FROM read_json_objects('x.json')
--- file-read-25 | file function
SELECT * FROM parquet_file_metadata('x.parquet')
--- file-read-26 | file function
SELECT * FROM parquet_full_metadata('x.parquet')
--- file-read-27 | file function
SELECT * FROM parquet_kv_metadata('x.parquet')
--- file-read-29 | attaches a database inside bind
SELECT * FROM read_duckdb('/srv/other.duckdb', table_name = 't')
--- file-read-31 | quoted, mixed case
SELECT * FROM "Read_Text"('/etc/passwd')
--- file-read-32 | schema-qualified
SELECT * FROM main.read_text('/etc/passwd')
--- file-read-33 | catalog-qualified
SELECT * FROM system.main.read_text('/etc/passwd')
--- file-read-35 | hidden in a filter
SELECT value FROM dash_ipbes WHERE value > (SELECT count(*) FROM glob('/srv/*'))
--- file-read-36 | environment
SELECT getenv('HOME')
--- csv-as-a-relation | rule: relation
SELECT * FROM 'data.csv'
--- csv-in-double-quotes | rule: relation
SELECT * FROM "data.csv"
--- parquet-as-a-relation | rule: relation
FROM 'x.parquet'
--- json-as-a-relation | rule: relation
FROM 'x.json' SELECT count(*)
--- absolute-path | rule: relation
SELECT * FROM '/etc/passwd'
--- glob-as-a-relation | rule: relation
SELECT * FROM '/data/**/*.parquet'
--- home-path | rule: relation
SELECT * FROM '~/x.csv'
--- parent-path | rule: relation
SELECT * FROM '../other/x.parquet'
--- file-url | rule: relation
SELECT * FROM 'file:///etc/passwd'
--- object-store | rule: relation
SELECT * FROM 's3://bucket/x.parquet'
--- azure-store | rule: relation
SELECT * FROM 'az://container/x.parquet'
--- hugging-face | rule: relation
SELECT * FROM 'hf://datasets/x/y.csv'
--- http-url | rule: relation
SELECT * FROM 'http://169.254.169.254/latest/meta-data'
--- standard-input | rule: relation
SELECT * FROM '/dev/stdin'
--- process-files | rule: relation
SELECT * FROM '/proc/self/environ'
--- database-file | rule: relation
SELECT * FROM 'other.duckdb'
--- compressed-file | rule: relation
SELECT * FROM 'x.csv.gz'
--- windows-path | rule: relation
SELECT * FROM 'C:\Users\x.csv'
--- unc-path | rule: relation
SELECT * FROM '\\server\share\x.csv'
--- file-in-a-join | rule: relation
SELECT * FROM dash_ipbes d LEFT JOIN 'x.csv' c ON c.a = d.value
--- file-in-a-union | rule: relation
SELECT value FROM dash_ipbes UNION ALL SELECT * FROM 'x.csv'
--- file-in-a-cte | rule: relation
WITH t AS (FROM 'x.csv') SELECT 1
--- file-in-a-pivot | rule: relation
PIVOT 'x.csv' ON a IN (1) USING sum(b)
--- file-of-a-table-statement | rule: relation
TABLE "x.csv"
--- file-with-a-schema | rule: relation
SELECT * FROM main."x.csv"
--- file-in-an-anti-join | rule: relation
SELECT * FROM dash_ipbes ANTI JOIN 'x.csv' USING (value)
--- function-read-csv | rule: function
SELECT count(*) FROM read_csv('x.csv')
--- function-read-csv-auto | rule: function
SELECT count(*) FROM read_csv_auto(['a.csv', 'b.csv'])
--- function-read-text | rule: function
SELECT count(*) FROM read_text('/etc/passwd')
--- function-read-blob | rule: function
SELECT count(*) FROM read_blob('/etc/passwd')
--- function-read-json | rule: function
SELECT count(*) FROM read_json('x.json')
--- function-read-json-auto | rule: function
SELECT count(*) FROM read_json_auto('x.json', format = 'auto')
--- function-read-json-objects | rule: function
SELECT count(*) FROM read_json_objects('x.json')
--- function-read-json-objects-auto | rule: function
SELECT count(*) FROM read_json_objects_auto('x.json')
--- function-read-ndjson | rule: function
SELECT count(*) FROM read_ndjson('x.json')
--- function-read-ndjson-auto | rule: function
SELECT count(*) FROM read_ndjson_auto('x.json')
--- function-read-ndjson-objects | rule: function
SELECT count(*) FROM read_ndjson_objects('x.json')
--- function-read-parquet | rule: function
SELECT count(*) FROM read_parquet('x.parquet', union_by_name = true)
--- function-parquet-scan | rule: function
SELECT count(*) FROM parquet_scan('x.parquet')
--- function-parquet-metadata | rule: function
SELECT count(*) FROM parquet_metadata('x.parquet')
--- function-parquet-schema | rule: function
SELECT count(*) FROM parquet_schema('x.parquet')
--- function-parquet-bloom-probe | rule: function
SELECT count(*) FROM parquet_bloom_probe('x.parquet', 'a', 1)
--- function-parquet-file-metadata | rule: function
SELECT count(*) FROM parquet_file_metadata('*')
--- function-parquet-full-metadata | rule: function
SELECT count(*) FROM parquet_full_metadata('*')
--- function-parquet-kv-metadata | rule: function
SELECT count(*) FROM parquet_kv_metadata('*')
--- function-read-duckdb | rule: function
SELECT count(*) FROM read_duckdb('x.duckdb')
--- function-sniff-csv | rule: function
SELECT count(*) FROM sniff_csv('x.csv')
--- function-glob | rule: function
SELECT count(*) FROM glob('/**')
--- reader-in-upper-case | rule: function
SELECT * FROM READ_PARQUET('x.parquet')
--- reader-in-quotes | rule: function
SELECT * FROM "parquet_scan"('x.parquet')
--- reader-with-a-comment | rule: function
SELECT * FROM read_csv/* */('x.csv')
--- reader-with-line-break | rule: function
SELECT * FROM read_text
('/etc/hosts')
--- reader-in-a-lateral | rule: function
SELECT * FROM dash_ipbes d, LATERAL read_text(d.ipbes_pressure)
--- reader-of-a-column | rule: function
SELECT * FROM dash_ipbes d, read_blob(d.ipbes_pressure) b
--- reader-in-exists | rule: function
SELECT 1 WHERE EXISTS (FROM read_text('/etc/hosts'))
--- reader-in-a-cte | rule: function
WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a FROM t, read_csv('x.csv')) FROM t
--- reader-in-a-lambda-list | rule: function
SELECT list_transform([1], lambda x: (SELECT count(*) FROM glob('*')))
--- reader-with-ordinality | rule: function
SELECT * FROM read_text('/etc/hosts') WITH ORDINALITY
--- reader-as-a-scalar | rule: function
SELECT read_text('/etc/passwd')
--- reader-as-a-scalar-of-a-column | rule: function
SELECT ipbes_pressure.read_text() FROM dash_ipbes
--- reader-in-a-pivot-source | rule: function
PIVOT read_csv('x.csv') ON a IN (1) USING sum(b)
--- reader-with-a-schema | rule: function
SELECT * FROM pg_catalog.read_text('/etc/hosts')
--- getenv | rule: function
SELECT getenv('PATH')
--- getenv-of-a-column | rule: function
SELECT ipbes_pressure.getenv() FROM dash_ipbes
--- load-file | rule: function
SELECT load_file('/etc/passwd')
--- write-file | rule: function
SELECT write_file('/srv/x', 'y')
--- read-in-range | rule: function
SELECT * FROM range((SELECT count(*) FROM read_text('x')))
--- spatial-reader | rule: function
SELECT * FROM st_read('x.shp')
--- excel-reader | rule: function
SELECT * FROM read_xlsx('x.xlsx')
--- sqlite-reader | rule: function
SELECT * FROM sqlite_scan('x.db', 't')
--- postgres-reader | rule: function
SELECT * FROM postgres_scan('host=x', 'public', 't')
--- delta-reader | rule: function
SELECT * FROM delta_scan('s3://x')
--- iceberg-reader | rule: function
SELECT * FROM iceberg_scan('s3://x')
