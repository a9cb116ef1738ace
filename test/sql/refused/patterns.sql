--- pattern-bomb-02 | GLOB backtracks
SELECT '⟦200|a⟧' GLOB '*a*a*a*a*a*a*a*a*a*a*a*a*b'
--- pattern-bomb-03 | LIKE with _ backtracks (a literal pattern with only % does not)
SELECT '⟦300|a⟧' LIKE '%a_%a_%a_%a_%a_%a_%a_%a_%a_%a_%a_%a_%b'
--- pattern-bomb-04 | NOT LIKE
SELECT '⟦300|a⟧' NOT LIKE '%a_%a_%a_%a_%a_%a_%a_%a_%a_%a_%a_%a_%b'
--- pattern-bomb-11 | star pattern, at bind
SELECT * ILIKE '%a%a%a%a%a%a%a%a%a%a%a%a%b' FROM (SELECT 1 AS "⟦200|a⟧") t
--- computed | rule: pattern
SELECT entity LIKE biome FROM fold_risks
--- computed-by-concatenation | rule: pattern
SELECT entity LIKE '%' || biome FROM fold_risks
--- computed-and-cut-too-late | rule: pattern
SELECT entity LIKE left(biome, 600) || left(commodity[1], 401) FROM fold_risks
--- computed-and-cut-at-no-number | rule: pattern
SELECT entity LIKE left(biome, length(biome)) FROM fold_risks
--- computed-and-cut-from-the-end | rule: pattern | left(x, -1) is all but the last character
SELECT entity LIKE left(biome, -1) FROM fold_risks
--- computed-and-cut-by-a-receiver | rule: pattern
SELECT entity LIKE biome.left(5) FROM fold_risks
--- computed-and-grown-after-the-cut | rule: pattern
SELECT entity LIKE repeat(left(biome, 9), 100000) FROM fold_risks
--- computed-ilike-that-is-cut | rule: pattern
SELECT entity ILIKE left(biome, 9) FROM fold_risks
--- computed-with-escape-that-is-cut | rule: pattern
SELECT entity LIKE left(biome, 9) ESCAPE '$' FROM fold_risks
--- computed-and-collated | rule: pattern
SELECT entity LIKE biome COLLATE NOCASE FROM fold_risks
--- collated-beside-a-parameter | rule: construct | the engine would compare it without the collation
SELECT $v LIKE 's%' COLLATE NOCASE
--- call-with-a-collation-beside-a-parameter | rule: construct
SELECT starts_with($v, 's' COLLATE NOCASE)
--- collated-by-another-collation | rule: pattern
SELECT entity LIKE 'a%' COLLATE de FROM fold_risks
--- computed-by-a-cte | rule: pattern
WITH p AS (SELECT '%a%' AS x) SELECT 'a' LIKE x FROM p
--- computed-by-a-subquery | rule: pattern
SELECT 'a' LIKE (SELECT '%')
--- computed-ilike | rule: pattern
SELECT entity ILIKE biome FROM fold_risks
--- computed-not-like | rule: pattern
SELECT entity NOT LIKE biome FROM fold_risks
--- computed-not-ilike | rule: pattern
SELECT entity NOT ILIKE lower(biome) FROM fold_risks
--- computed-glob | rule: pattern
SELECT entity GLOB biome FROM fold_risks
--- computed-escape | rule: pattern
SELECT entity LIKE 'a$%' ESCAPE commodity[1] FROM fold_risks
--- computed-with-escape | rule: pattern
SELECT entity LIKE biome ESCAPE '$' FROM fold_risks
--- computed-by-a-cast | rule: pattern
SELECT 'a' LIKE 'a'::VARCHAR
--- computed-by-a-case | rule: pattern
SELECT 'a' LIKE CASE WHEN true THEN '%' END
--- operator-as-a-function | rule: pattern
SELECT "~~"('a', biome || '%') FROM fold_risks
--- operator-as-a-method | rule: pattern
SELECT entity."~~"(biome) FROM fold_risks
--- ilike-operator-as-a-method | rule: pattern
SELECT entity."~~*"(biome) FROM fold_risks
--- glob-operator-as-a-method | rule: pattern
SELECT f.entity."~~~"(f.biome) FROM fold_risks f
--- like-escape-as-a-method | rule: pattern
SELECT entity.like_escape(biome, '$') FROM fold_risks
--- ilike-escape-of-a-table-column | rule: pattern
SELECT f.entity.ilike_escape(f.biome, '$') FROM fold_risks f
--- not-like-escape | rule: pattern
SELECT not_like_escape(entity, biome, '$') FROM fold_risks
--- not-ilike-escape-as-a-method | rule: pattern
SELECT entity.not_ilike_escape(biome, '$') FROM fold_risks
--- like-escape-with-main | rule: pattern
SELECT main.like_escape(entity, biome, '$') FROM fold_risks
--- wildcards-in-a-method | rule: pattern
SELECT entity.like_escape('%a%b%c%d%', '$') FROM fold_risks
--- wildcards-in-an-operator-method | rule: pattern
SELECT entity."~~*"('%a%b%c%d%') FROM fold_risks
--- computed-in-a-lambda | rule: pattern
SELECT list_filter(['a'], lambda x: x LIKE x)
--- computed-in-a-comprehension | rule: pattern
SELECT [x FOR x IN ['a'] IF x ILIKE x]
--- computed-over-columns | rule: pattern
SELECT COLUMNS(c -> c LIKE c) FROM dash_ipbes
--- computed-in-a-join | rule: pattern
SELECT 1 FROM fold_risks a JOIN fold_risks b ON a.entity LIKE b.entity
--- computed-in-a-filter-clause | rule: pattern
SELECT count(*) FILTER (WHERE entity LIKE biome) FROM fold_risks
--- four-wildcards-with-ilike | rule: pattern
SELECT 'a' ILIKE '%a%b%c%'
--- four-wildcards-with-not-ilike | rule: pattern
SELECT 'a' NOT ILIKE '%a%b%c%'
--- four-wildcards-with-underscore | rule: pattern
SELECT 'a' LIKE '%a%b%c_%'
--- four-wildcards-with-escape | rule: pattern
SELECT 'a' LIKE '%a%b%c%' ESCAPE '$'
--- four-stars-in-glob | rule: pattern
SELECT 'a' GLOB '*a*b*c*'
