--- long-name | rule: size
SELECT 1 AS "⟦300|a⟧"
--- long-column-alias | rule: size
SELECT x FROM (SELECT 1) t("⟦300|a⟧")
--- long-name-in-exclude | rule: size
SELECT * EXCLUDE ("⟦300|a⟧") FROM dash_ipbes
--- long-name-in-rename | rule: size
SELECT * RENAME (value AS "⟦300|a⟧") FROM dash_ipbes
--- long-name-of-a-cte-column | rule: size
WITH t("⟦300|a⟧") AS (SELECT 1) SELECT 1 FROM t
--- long-name-in-using | rule: size
SELECT * FROM dash_ipbes a JOIN dash_ipbes b USING ("⟦300|a⟧")
