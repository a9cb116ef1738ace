--- printf-of-a-byte | rule: pattern | a VARCHAR that is not UTF-8: the engine's functions read past its end
SELECT hex(encode(translate(repeat('A', 40) || printf('%c', 240), 'A', 'b'))) AS x
--- printf-with-a-width | rule: pattern
SELECT printf('%-5c', 240)
--- printf-by-position | rule: pattern
SELECT printf('%1$c', 240)
--- printf-with-a-length | rule: pattern
SELECT printf('%hhc %lc', 240, 241)
--- printf-with-a-width-that-is-given | rule: pattern
SELECT printf('%*c', 3, 240)
--- printf-after-percents | rule: pattern
SELECT printf('%% %%%c', 240)
--- printf-by-concatenation | rule: pattern
SELECT printf('%' || 'c', 240)
--- printf-by-chr | rule: pattern
SELECT printf(chr(37) || chr(99), 240)
--- printf-of-a-cast | rule: pattern
SELECT printf('%c'::VARCHAR, 240)
--- printf-of-a-column | rule: pattern
SELECT printf(f, 240) FROM (VALUES ('%c')) AS t(f)
--- printf-of-a-subquery | rule: pattern
SELECT printf((SELECT '%' || 'c'), 240)
--- printf-after-a-dot | rule: pattern
SELECT f.printf(240) FROM (VALUES ('%c')) AS t(f)
--- printf-in-a-lambda | rule: pattern
SELECT list_transform(range(128, 256), lambda b: printf('%c', b))
--- printf-in-an-order | rule: pattern
SELECT 1 AS a ORDER BY printf('%c', 240)
--- printf-in-a-join | rule: pattern
SELECT count(*) FROM fold_risks AS r JOIN fold_risks AS s ON r.entity = printf('%c', s.value::INTEGER)
--- printf-named | rule: function
SELECT "PRINTF_"('%c', 240)
--- printf-in-capitals | rule: pattern
SELECT PRINTF('%c', 240)
--- printf-quoted | rule: pattern
SELECT "printf"('%c', 240)
--- printf-in-main | rule: pattern
SELECT main.printf('%c', 240)
--- printf-of-an-unknown-conversion | rule: pattern
SELECT printf('%n', 240)
--- printf-of-an-open-conversion | rule: pattern
SELECT printf('100 %', 240)
--- format-of-a-character | rule: pattern
SELECT format('{:c}', 240)
--- format-of-a-character-with-a-width | rule: pattern
SELECT format('{0:>5c}', 240)
--- format-of-a-character-with-a-width-that-is-given | rule: pattern
SELECT format('{:{}c}', 240, 5)
--- format-with-a-fill-of-several-bytes | rule: pattern
SELECT format('{:é>5}', 'a')
--- format-of-a-column | rule: pattern
SELECT format(f, 240) FROM (VALUES ('{:c}')) AS t(f)
--- regexp-of-a-byte | rule: pattern
SELECT regexp_extract('é', '\C') AS x
--- regexp-all-of-a-byte | rule: pattern
SELECT regexp_extract_all('é', '\C')
--- regexp-with-names | rule: pattern
SELECT regexp_extract('é', '(\C)(\C)', ['a', 'b'])
--- regexp-replace-of-a-byte | rule: pattern
SELECT regexp_replace('é', '^\C', '')
--- regexp-split-at-a-byte | rule: pattern
SELECT string_split_regex('é', '\C')
--- regexp-split-to-array | rule: pattern
SELECT regexp_split_to_array('é', '^\C')
--- regexp-split-to-table | rule: pattern
SELECT regexp_split_to_table('é', '^\C')
--- regexp-split-by-names | rule: pattern | named arguments of a macro come in any order
SELECT regexp_split_to_table(pattern := chr(92) || 'C', "text" := 'é')
--- str-split-regex | rule: pattern
SELECT str_split_regex('é', '^\C')
--- regexp-in-a-group | rule: pattern
SELECT regexp_extract('é', '(?:x|\C)')
--- regexp-behind-a-backslash | rule: pattern | an escaped backslash before a C too: nothing is lost by it
SELECT regexp_matches('C:\C', '\\C')
--- regexp-after-a-dot | rule: pattern
SELECT entity.regexp_extract('\C') FROM fold_risks
--- regexp-computed | rule: pattern
SELECT regexp_extract('é', chr(92) || 'C')
--- regexp-of-a-column | rule: pattern
SELECT regexp_extract('é', p) FROM (VALUES ('\C')) AS t(p)
--- regexp-of-a-cast | rule: pattern
SELECT regexp_extract('é', '\C'::VARCHAR)
--- regexp-of-a-case | rule: pattern
SELECT regexp_extract('é', CASE WHEN true THEN '\C' END)
--- regexp-operator | rule: pattern
SELECT 'é' ~ '\C'
--- regexp-operator-computed | rule: pattern
SELECT entity !~ biome FROM fold_risks
--- similar-to-computed | rule: pattern
SELECT entity SIMILAR TO biome FROM fold_risks
--- similar-to-a-byte | rule: pattern
SELECT 'é' NOT SIMILAR TO '\C\C'
--- similar-to-a-subquery | rule: pattern
SELECT 'a' SIMILAR TO (SELECT max(entity) FROM fold_risks)
--- columns-of-a-byte | rule: pattern
SELECT COLUMNS('(\C)') AS '\1' FROM (SELECT 1 AS "é")
--- columns-computed | rule: pattern
SELECT COLUMNS(chr(92) || 'C') FROM fold_risks
--- columns-of-a-subquery | rule: pattern
SELECT COLUMNS(upper('a')) FROM fold_risks
--- columns-unpacked | rule: pattern
SELECT concat(*COLUMNS('\C')) FROM fold_risks
--- columns-of-an-unpivot | rule: pattern
UNPIVOT (SELECT 1 AS "é") ON COLUMNS('\C') INTO NAME k VALUE v
