# Checks the data frames of the example in R, or times them: Rscript rows.R <analytics.R> <kinds | csv | time>.
arguments <- commandArgs(trailingOnly = TRUE)
source(arguments[1])

kinds <- function() {
  projects <- call_method("projects/list", list(page = list(limit = 500)))$items
  project <- Filter(function(each) each$state == "computed", projects)[[1]]$projectId

  frame <- rows(project, "SELECT * FROM (VALUES
    (1, 1, 9007199254740993, 'NaN'::DOUBLE, [1, NULL, 2], {'a': 1, 'b': [1, 2]}, true, 'x'),
    (2, NULL, 100000, 1.5, NULL, NULL, NULL, NULL),
    (3, 3, NULL, '-Infinity', [], {'a': NULL, 'b': NULL}, false, '')
  ) AS t(id, number, big, real, list, struct, flag, text) ORDER BY id")
  stopifnot(
    identical(dim(frame), c(3L, 8L)),
    identical(frame$number, c(1L, NA, 3L)),
    identical(frame$big, c("9007199254740993", "100000", NA)),
    identical(frame$real, c(NaN, 1.5, -Inf)),
    identical(frame$list, list(c(1L, NA, 2L), NULL, list())),
    identical(frame$struct, list(list(a = 1L, b = c(1L, 2L)), NULL, list(a = NULL, b = NULL))),
    identical(frame$flag, c(TRUE, NA, FALSE)),
    identical(frame$text, c("x", NA, ""))
  )

  none <- rows(project, "SELECT 1 AS id, 'x' AS \"gr\u00f6\u00dfe\" WHERE false")
  stopifnot(identical(names(none), c("id", "gr\u00f6\u00dfe")), nrow(none) == 0)

  many <- rows(project, "SELECT range AS id, [range] AS list FROM range(1200) ORDER BY id")
  stopifnot(identical(many$id, 0:1199), identical(unlist(many$list), 0:1199))
  cat("as expected\n")
}

csv <- function() {
  projects <- call_method("projects/list", list(page = list(limit = 500)))$items
  project <- Filter(function(each) each$state == "computed", projects)[[1]]$projectId
  sql <- "SELECT * FROM (VALUES
    (1, 9007199254740993, 'NaN'::DOUBLE, 'NA', DATE '2026-11-20', [1, NULL], true),
    (2, NULL, 1.5, 'two' || chr(10) || '\"lines\", \u00e9', NULL, [], NULL),
    (3, 3, '-Infinity', NULL, NULL, NULL, false)
  ) AS t(id, big, real, text, day, list, \"a flag\") ORDER BY id"
  export(project, sql, "kinds.csv")
  frame <- read_csv("kinds.csv", colClasses = c(big = "character", "a flag" = "logical"))
  stopifnot(
    identical(names(frame), c("id", "big", "real", "text", "day", "list", "a flag")),
    identical(frame$id, 1:3),
    identical(frame$big, c("9007199254740993", NA, "3")),
    identical(frame$real, c(NaN, 1.5, -Inf)),
    identical(frame$text, c("NA", "two\n\"lines\", \u00e9", NA)),
    identical(as.Date(frame$day), as.Date(c("2026-11-20", NA, NA))),
    identical(jsonlite::fromJSON(frame$list[1]), c(1L, NA)),
    identical(frame$`a flag`, c(TRUE, NA, FALSE))
  )
  pressures <- rows(project, "SELECT * FROM fold_pressures")
  export(project, "SELECT * FROM fold_pressures", "pressures.csv")
  stopifnot(nrow(pressures) > 0, all.equal(read_csv("pressures.csv"), pressures))
  cat("as expected\n")
}

items_of <- function(count) {
  lapply(seq_len(count), function(id) list(id = id, label = paste("row", id), value = id / 3, day = "2026-11-22"))
}

# Seconds of the shortest of some runs, which is the least disturbed by other processes.
seconds <- function(runs, run) min(replicate(runs, system.time(run())[["elapsed"]]))

# How many times as long four times the rows take, and how many times as long it takes to bind frames of one row each.
time <- function() {
  few <- items_of(2000)
  many <- items_of(8000)
  columns <- names(few[[1]])
  of_few <- seconds(7, function() as_frame(few, columns))
  of_many <- seconds(7, function() as_frame(many, columns))
  bound <- seconds(1, function() do.call(rbind, lapply(few, as.data.frame)))
  cat(of_many / of_few, bound / of_few)
}

switch(arguments[2], kinds = kinds(), csv = csv(), time = time())
