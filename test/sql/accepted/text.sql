--- basics
SELECT upper('aé') AS a, lower('AB') AS b, length('häß') AS c, trim('  x ') AS d, ltrim('xxy', 'x') AS e, reverse('abc') AS f, left('abc', 2) AS g, right('abc', 2) AS h, 'a' || 'b' AS i, concat('a', NULL, 1) AS j, concat_ws('-', 'a', 'b') AS k
-- = {"a":"AÉ","b":"ab","c":3,"d":"x","e":"y","f":"cba","g":"ab","h":"bc","i":"ab","j":"a1","k":"a-b"}
--- parts
SELECT substring('hello' FROM 2 FOR 3) AS a, substr('hello', 2) AS b, 'hello'[1] AS c, 'hello'[2:3] AS d, position('l' IN 'hello') AS e, strpos('hello', 'lo') AS f, instr('hello', 'x') AS g, split_part('a-b-c', '-', 2) AS h, string_split('a,b', ',') AS i, replace('aXa', 'X', '-') AS j, translate('abc', 'ac', 'xy') AS k
-- = {"a":"ell","b":"ello","c":"h","d":"el","e":3,"f":4,"g":0,"h":"b","i":["a","b"],"j":"a-a","k":"xby"}
--- tests
SELECT contains('hello', 'ell') AS a, starts_with('hello', 'he') AS b, ends_with('hello', 'lo') AS c, prefix('hello', 'he') AS d, suffix('hello', 'lo') AS e, 'hello' ^@ 'he' AS f
-- = {"a":true,"b":true,"c":true,"d":true,"e":true,"f":true}
--- like
SELECT 'savanna' LIKE 'sav%' AS a, 'savanna' LIKE '%v%n%' AS b, 'savanna' NOT LIKE 'x%' AS c, 'savanna' LIKE '_avanna' AS d, 'a%b' LIKE 'a$%b' ESCAPE '$' AS e, 'Savanna' ILIKE 'sav%' AS f, 'savanna' NOT ILIKE '%Z%' AS g
-- = {"a":true,"b":true,"c":true,"d":true,"e":true,"f":true,"g":true}
--- like-many-wildcards
SELECT 'a long line of text' LIKE '%a%l%n%g%t%x%t%' AS a, 'abc' LIKE '%%%%%%' AS b
-- = {"a":true,"b":true}
--- like-null
SELECT 'a' LIKE NULL AS a, NULL LIKE 'a' AS b
-- = {"a":null,"b":null}
--- glob
SELECT 'file.csv' GLOB '*.csv' AS a, 'abc' GLOB 'a[a-c]?' AS b
-- = {"a":true,"b":true}
--- like-in-a-filter
SELECT count(*) AS n FROM fold_risks WHERE biome LIKE '%forest' AND entity ILIKE 'entity%' AND risk NOT LIKE '%loss'
-- = {"n":10}
--- similar-to
SELECT 'abc' SIMILAR TO 'a(b|c)*' AS a, 'abc' NOT SIMILAR TO 'x+' AS b, 'abc' ~ 'a.c' AS c, 'abc' !~ 'a.d' AS d
-- = {"a":true,"b":true,"c":true,"d":true}
--- regexps
SELECT regexp_matches('abc123', '[0-9]+') AS a, regexp_extract('abc123', '([a-z]+)([0-9]+)', 2) AS b, regexp_replace('a1b2', '[0-9]', '#', 'g') AS c, regexp_extract_all('a1b2', '[0-9]') AS d, regexp_full_match('abc', 'a.*') AS e, regexp_split_to_array('a1b2c', '[0-9]') AS f, regexp_extract('2025-01', '(\d+)-(\d+)', ['y', 'm']) AS g, regexp_escape('a.b') AS h
-- = {"a":true,"b":"123","c":"a#b#","d":["1","2"],"e":true,"f":["a","b","c"],"g":{"y":"2025","m":"01"},"h":"a\\.b"}
--- regexp-on-a-column
SELECT count(*) AS n FROM fold_risks WHERE regexp_matches(entity, '[13]$', 'i')
-- = {"n":12}
--- computed-search
SELECT count(*) AS n FROM fold_risks WHERE contains(risk, split_part(risk, ' ', 1)) AND starts_with(entity, 'Ent' || 'ity')
-- = {"n":36}
--- collation
SELECT 'A' COLLATE NOCASE = 'a' AS a, x COLLATE NOACCENT AS b FROM (VALUES ('é'), ('b')) t(x) ORDER BY x COLLATE NOACCENT LIMIT 1
-- = {"a":true,"b":"b"}
--- collation-of-a-language
SELECT x FROM (VALUES ('z'), ('ä'), ('a')) t(x) ORDER BY x COLLATE de
-- = {"x":"a"}
-- = {"x":"ä"}
-- = {"x":"z"}
--- quotes
SELECT 'it''s' AS a, "ipbes_pressure" AS "say ""hi""", E'tab\tend' AS t FROM dash_ipbes WHERE value > 40
-- = {"a":"it's","say \"hi\"":"land use change","t":"tab\tend"}
--- strings-on-two-lines
SELECT 'a
b' AS lines, 'a'
  'b' AS joined
-- = {"lines":"a\nb","joined":"ab"}
--- path-like-strings-are-strings
SELECT '/etc/passwd' AS a, 's3://bucket/x.parquet' AS b, 'SELECT * FROM read_csv(''x'')' AS c
-- = {"a":"/etc/passwd","b":"s3://bucket/x.parquet","c":"SELECT * FROM read_csv('x')"}
--- computed-sizes
SELECT repeat('*', value::INTEGER // 10) AS bar, lpad('7', length('abc')::INTEGER, '0') AS l, repeat('ab', 2 * 2) AS r, printf('%5d', 7) AS p, format('{:{}}', 7, 3) AS f FROM dash_ipbes WHERE value > 40
-- = {"bar":"****","l":"007","r":"abababab","p":"    7","f":"  7"}
--- fuzzy-join
SELECT count(*) AS n FROM (VALUES ('Savana'), ('Desert')) a(x) JOIN (VALUES ('savanna')) b(x) ON levenshtein(lower(a.x), b.x) <= 1
-- = {"n":1}
--- formats
SELECT printf('%5.1f|%-4s|%04d|%x|%e|%%', 2.25, 'é', 7, 255, 1.5) AS a, format('{:>4}|{:<4}|{:^5}|{:.2f}|{{}}', 'é', 'b', 'c', 0.125) AS b, printf(NULL, 1) AS c, format('{1} {0}', 'a', 'b') AS d, printf('%2$s %1$s', 'a', 'b') AS e
-- = {"a":"  2.2|é   |0007|ff|1.500000e+00|%","b":"   é|b   |  c  |0.12|{}","c":null,"d":"b a","e":"b a"}
--- regexps-that-look-like-bytes
SELECT regexp_replace('C:\C', '\\[C]', '/', 'g') AS a, regexp_matches('é', '^.$') AS b, regexp_extract_all('aé', '.') AS c
-- = {"a":"C:/","b":true,"c":["a","é"]}
--- columns-without-a-pattern
SELECT COLUMNS(c -> c LIKE 'ipbes%'), COLUMNS(['value']) FROM dash_ipbes LIMIT 1
-- = {"ipbes_pressure":"land use change","value":41.5}
--- codes-read
SELECT url_decode('a%20b%C3%A9') AS a, from_base64('YQ==')::VARCHAR AS b, format_bytes(1536) AS c, formatReadableSize(1024) AS d, formatReadableDecimalSize(1000) AS e
-- = {"a":"a bé","b":"a","c":"1.5 KiB","d":"1.0 KiB","e":"1.0 kB"}
--- like-of-a-computed-pattern
SELECT x LIKE left(p, 100) || '%' AS a, x NOT LIKE concat('%', left(p, 10), '_') AS b, 'a' LIKE '%' || 'b' AS c FROM (VALUES ('savanna', 'sav')) t(x, p)
-- = {"a":true,"b":true,"c":false}
--- like-without-case
SELECT 'Savanna' LIKE 's%' COLLATE NOCASE AS a, 'Savanna' COLLATE nocase LIKE 'S%a' AS b, 'Savanna' COLLATE NOCASE = 'SAVANNA' AS c, 'b' NOT LIKE 'A_' COLLATE "nocase" AS d
-- = {"a":true,"b":true,"c":true,"d":true}
