/** A mistake that analysts make, what its refusal must tell, and the statement that follows what was told. */
export const MENDED: readonly { mistake: string; told: RegExp; mended: string }[] = [
  { mistake: 'SELECT * FROM fold_risk', told: /Did you mean "fold_risks"/, mended: 'SELECT * FROM fold_risks' },
  { mistake: 'SELECT * FROM risks', told: /Did you mean "fold_risks"/, mended: 'SELECT * FROM fold_risks' },
  {
    mistake: 'SELECT * FROM dependencies',
    told: /Did you mean "fold_dependencies"/,
    mended: 'SELECT * FROM fold_dependencies',
  },
  {
    mistake: 'WITH recent AS (SELECT 1) FROM recnet',
    told: /Did you mean "recent"/,
    mended: 'WITH recent AS (SELECT 1) FROM recent',
  },
  { mistake: 'FROM main.fold_risks', told: /Write "fold_risks" alone/, mended: 'FROM fold_risks' },
  {
    mistake: 'WITH t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) FROM t',
    told: /WITH RECURSIVE/,
    mended: 'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) FROM t',
  },
  {
    mistake: 'WITH a AS (FROM b), b AS (SELECT 1) FROM a',
    told: /after its definition/,
    mended: 'WITH b AS (SELECT 1), a AS (FROM b) FROM a',
  },
  {
    mistake: 'SELECT lenght(entity) FROM fold_risks',
    told: /Did you mean "length"/,
    mended: 'SELECT length(entity) FROM fold_risks',
  },
  {
    mistake: 'SELECT cuont(*) FROM fold_risks',
    told: /Did you mean "count"/,
    mended: 'SELECT count(*) FROM fold_risks',
  },
  { mistake: 'SELECT average(score) FROM fold_risks', told: /Use avg/, mended: 'SELECT avg(score) FROM fold_risks' },
  {
    mistake: 'SELECT nvl(score, 0) FROM fold_risks',
    told: /coalesce\(value, other\)/,
    mended: 'SELECT coalesce(score, 0) FROM fold_risks',
  },
  {
    mistake: "SELECT to_char(assessed_on, 'YYYY-MM') FROM fold_risks",
    told: /strftime\(value, '%Y-%m-%d'\)/,
    mended: "SELECT strftime(assessed_on, '%Y-%m') FROM fold_risks",
  },
  {
    mistake: "SELECT dateadd('day', 1, assessed_on) FROM fold_risks",
    told: /\+ INTERVAL 1 DAY/,
    mended: 'SELECT assessed_on + INTERVAL 1 DAY FROM fold_risks',
  },
  {
    mistake: 'SELECT iif(score > 1, 1, 0) FROM fold_risks',
    told: /CASE WHEN/,
    mended: 'SELECT CASE WHEN score > 1 THEN 1 ELSE 0 END FROM fold_risks',
  },
  { mistake: "SELECT list_aggr([1, 2], 'sum')", told: /list_sum/, mended: 'SELECT list_sum([1, 2])' },
  {
    mistake: "SELECT charindex('a', entity) FROM fold_risks",
    told: /strpos\(text, part\)/,
    mended: "SELECT strpos(entity, 'a') FROM fold_risks",
  },
  {
    mistake: 'SELECT json_contains(meta, \'"survey"\') FROM risk_rows',
    told: /json_extract_string/,
    mended: "SELECT json_extract_string(meta, '$.source') = 'survey' FROM risk_rows",
  },
  { mistake: 'SELECT * FROM rnage(3)', told: /Did you mean "range"/, mended: 'SELECT * FROM range(3)' },
  {
    mistake: "SELECT * FROM query_table('fold_risks')",
    told: /relations of the catalogue/,
    mended: 'SELECT * FROM fold_risks',
  },
  {
    mistake: 'SELECT system.main.upper(entity) FROM fold_risks',
    told: /Write upper\(…\)/,
    mended: 'SELECT upper(entity) FROM fold_risks',
  },
  {
    mistake: 'SELECT value.sum() OVER () FROM dash_ipbes',
    told: /Write sum\(column\) OVER/,
    mended: 'SELECT sum(value) OVER () FROM dash_ipbes',
  },
  {
    mistake: 'SELECT meta::jsonb FROM risk_rows',
    told: /Did you mean JSON/,
    mended: 'SELECT meta::json FROM risk_rows',
  },
  {
    mistake: 'SELECT current_schema FROM (SELECT 1 AS current_schema) t',
    told: /t\.column/,
    mended: 'SELECT t.current_schema FROM (SELECT 1 AS current_schema) t',
  },
  {
    mistake: 'SELECT entity LIKE biome FROM fold_risks',
    told: /contains\(\)/,
    mended: 'SELECT contains(entity, biome) FROM fold_risks',
  },
  {
    mistake: "SELECT entity ILIKE '%a%b%c%d%' FROM fold_risks",
    told: /regexp_matches/,
    mended: "SELECT regexp_matches(entity, 'a.*b.*c.*d', 'i') FROM fold_risks",
  },
  {
    mistake: "SELECT entity ILIKE '%a%b%c%d%' FROM fold_risks",
    told: /lower\(\) with a LIKE/,
    mended: "SELECT lower(entity) LIKE '%a%b%c%d%' FROM fold_risks",
  },
  {
    mistake: "SELECT meta->'a'->'b'->'c'->'d'->'e'->'f'->'g'->'h'->'i' FROM risk_rows",
    told: /json_extract\(value, '\$\.a\.b'\)/,
    mended: "SELECT json_extract(meta, '$.a.b.c.d.e.f.g.h.i') FROM risk_rows",
  },
  {
    mistake: 'SELECT * FROM fold_risks WHERE score > ?',
    told: /Write the values/,
    mended: 'SELECT * FROM fold_risks WHERE score > 1',
  },
  {
    mistake: 'SELECT * FROM fold_risks WHERE score > :least',
    told: /write the values/,
    mended: 'SELECT * FROM fold_risks WHERE score > 1',
  },
  {
    mistake: 'SELECT * FROM fold_risks WHERE score > {least}',
    told: /write the values/,
    mended: 'SELECT * FROM fold_risks WHERE score > 1',
  },
  {
    mistake: 'SELECT * FROM fold_risks LIMIT 5, 10',
    told: /LIMIT count OFFSET start/,
    mended: 'SELECT * FROM fold_risks LIMIT 10 OFFSET 5',
  },
  {
    mistake: 'SELECT TOP 5 * FROM fold_risks',
    told: /LIMIT and the number at the end/,
    mended: 'SELECT * FROM fold_risks LIMIT 5',
  },
  {
    mistake: 'SELECT TOP (5) * FROM fold_risks',
    told: /LIMIT and the number at the end/,
    mended: 'SELECT * FROM fold_risks LIMIT 5',
  },
  {
    mistake: 'SELECT * FROM fold_risks LIMIT 5 WHERE score > 1',
    told: /come in this order/,
    mended: 'SELECT * FROM fold_risks WHERE score > 1 LIMIT 5',
  },
  {
    mistake: 'SELECT risk WHERE score > 1 FROM fold_risks',
    told: /come in this order/,
    mended: 'SELECT risk FROM fold_risks WHERE score > 1',
  },
  {
    mistake: 'SELECT * FROM fold_risks LIMIT 5 ORDER BY score',
    told: /come in this order/,
    mended: 'SELECT * FROM fold_risks ORDER BY score LIMIT 5',
  },
  {
    mistake: 'SELECT risk FROM fold_risks GROUP risk',
    told: /BY after GROUP/,
    mended: 'SELECT risk FROM fold_risks GROUP BY risk',
  },
  {
    mistake: 'SELECT sum(value) OVER PARTITION BY risk FROM fold_risks',
    told: /OVER \(PARTITION BY/,
    mended: 'SELECT sum(value) OVER (PARTITION BY risk) FROM fold_risks',
  },
  {
    mistake: 'SELECT * EXCEPT (score) FROM fold_risks',
    told: /EXCLUDE \(column\)/,
    mended: 'SELECT * EXCLUDE (score) FROM fold_risks',
  },
  { mistake: 'SELECT `entity` FROM fold_risks', told: /double quotes/, mended: 'SELECT "entity" FROM fold_risks' },
  { mistake: 'SELECT * FROM `fold_risks`', told: /double quotes/, mended: 'SELECT * FROM "fold_risks"' },
  {
    mistake: 'SELECT `f`.`entity` FROM fold_risks f',
    told: /double quotes/,
    mended: 'SELECT "f"."entity" FROM fold_risks f',
  },
  {
    mistake: "SELECT * FROM fold_risks WHERE entity = 'it's'",
    told: /doubled/,
    mended: "SELECT * FROM fold_risks WHERE entity = 'it''s'",
  },
  { mistake: "SELECT 'open", told: /Close what was opened/, mended: "SELECT 'open'" },
  { mistake: 'SELECT 1 # comment', told: /two hyphens/, mended: 'SELECT 1 -- comment' },
  {
    mistake: "SELECT CASE WHEN score > 1 THEN 'a' FROM fold_risks",
    told: /a CASE without END/,
    mended: "SELECT CASE WHEN score > 1 THEN 'a' END FROM fold_risks",
  },
  {
    mistake: 'SELECT * FROM fold_risks r JOIN risk_rows s',
    told: /ON or USING/,
    mended: 'SELECT * FROM fold_risks r JOIN risk_rows s USING (entity_id)',
  },
  { mistake: 'SELECT', told: /write \*/, mended: 'SELECT * FROM dash_ipbes' },
  { mistake: 'EXPLAIN SELECT 1', told: /without EXPLAIN/, mended: 'SELECT 1' },
  { mistake: 'SELECT 1; SELECT 2', told: /one SELECT a call/, mended: 'SELECT 2' },
  { mistake: 'SELECT 1; DROP TABLE dash_ipbes', told: /one SELECT a call/, mended: 'SELECT 1' },
  { mistake: '-- why\nINSERT INTO dash_ipbes VALUES (1)', told: /not INSERT/, mended: 'SELECT 1' },
  {
    mistake: 'WITH x AS (SELECT 1) DELETE FROM x',
    told: /End the statement with a SELECT/,
    mended: 'WITH x AS (SELECT 1) SELECT * FROM x',
  },
  {
    mistake: 'PIVOT dash_ipbes ON ipbes_pressure USING sum(value)',
    told: /PIVOT … ON column IN \('a', 'b'\)/,
    mended: "PIVOT dash_ipbes ON ipbes_pressure IN ('pollution') USING sum(value)",
  },
  {
    mistake: 'SELECT * FROM (PIVOT dash_ipbes ON ipbes_pressure USING sum(value))',
    told: /FILTER \(WHERE column = 'a'\)/,
    mended: "SELECT sum(value) FILTER (WHERE ipbes_pressure = 'pollution') FROM dash_ipbes",
  },
  {
    mistake: 'DESCRIBE fold_risks',
    told: /projects\/describe lists the relations and the columns of one/,
    mended: 'FROM fold_risks',
  },
  {
    mistake: 'SELECT * FROM information_schema.tables',
    told: /projects\/describe lists the relations/,
    mended: 'FROM fold_risks',
  },
]
