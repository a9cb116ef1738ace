--- side-effect-01 | sequence
SELECT nextval('seq')
--- side-effect-02 | sequence
SELECT currval('seq')
--- side-effect-09 | occupies a connection
SELECT pg_catalog.pg_sleep(60)
--- side-effect-13 | prints every later query on stdout of the service
SELECT * FROM enable_profiling()
--- side-effect-15 | switches the parser of the instance: parser differential
SELECT * FROM enable_peg_parser()
--- side-effect-17 | storage
SELECT * FROM checkpoint()
--- side-effect-18 | storage
SELECT * FROM force_checkpoint()
--- side-effect-19 | raw pointers
SELECT * FROM arrow_scan(1, 2, 3)
--- side-effect-23 | debug
SELECT * FROM test_vector_types(NULL::INTEGER)
--- nextval-in-a-filter | rule: function
SELECT 1 FROM dash_ipbes WHERE nextval('s') > 0
--- nextval-in-a-lambda | rule: function
SELECT list_transform([1], lambda x: nextval('s'))
--- nextval-by-method | rule: function
SELECT ('s').nextval()
--- nextval-with-a-schema | rule: function
SELECT main.nextval('s')
--- setseed | rule: function
SELECT setseed(0.5)
--- setseed-in-order-by | rule: function
SELECT value FROM dash_ipbes ORDER BY setseed(0.1)
--- sleep | rule: function
SELECT sleep_ms(60000)
--- sleep-in-postgres | rule: function
SELECT pg_sleep(60)
--- error | rule: function
SELECT error('stop')
--- error-in-a-case | rule: function
SELECT CASE WHEN value > 0 THEN error('x') END FROM dash_ipbes
--- write-log | rule: function
SELECT write_log('x')
--- write-log-with-options | rule: function
SELECT write_log('x', level := 'error', scope := 'database')
--- enable-logging | rule: function
SELECT * FROM enable_logging()
--- enable-logging-to-a-file | rule: function
SELECT * FROM enable_logging(storage = 'file', storage_path = '/srv/x')
--- disable-logging | rule: function
FROM disable_logging()
--- truncate-logs | rule: function
FROM truncate_duckdb_logs()
--- disable-profiling | rule: function
FROM disable_profiling()
--- disable-peg-parser | rule: function
FROM disable_peg_parser()
--- checkpoint-of-a-database | rule: function
FROM checkpoint('memory')
--- checkpoint-in-a-cte | rule: function
WITH c AS (FROM checkpoint()) SELECT 1
--- checkpoint-in-a-lateral | rule: function
SELECT * FROM dash_ipbes, LATERAL checkpoint()
--- logging-in-exists | rule: function
SELECT 1 WHERE EXISTS (FROM enable_logging())
--- set-config | rule: function
SELECT set_config('threads', '1', false)
--- set-variable-function | rule: function
SELECT setvariable('x', 1)
--- lo-import | rule: function
SELECT lo_import('/etc/passwd')
--- advisory-lock | rule: function
SELECT pg_advisory_lock(1)
--- kill | rule: function
SELECT pg_terminate_backend(1)
--- reload | rule: function
SELECT pg_reload_conf()
--- dblink | rule: function
SELECT * FROM dblink('host=x', 'SELECT 1')
--- http-get | rule: function
SELECT http_get('http://169.254.169.254/')
--- shell | rule: function
SELECT system('ls')
--- notify | rule: function
SELECT pg_notify('a', 'b')
--- arrow-pointers | rule: function
SELECT * FROM arrow_scan(140000000000, 140000000000, 140000000000)
--- test-types | rule: function
SELECT * FROM test_all_types(use_large_enum = true)
--- test-vectors | rule: function
SELECT * FROM test_vector_types(NULL::INTEGER[], all_flat = true)
