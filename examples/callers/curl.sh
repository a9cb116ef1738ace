#!/bin/sh
# Calls every method with curl and downloads an export. The service and the key come from the environment:
#   FOLDGATE_URL=https://data.example FOLDGATE_KEY=... sh curl.sh [project id] [file]
set -eu
: "${FOLDGATE_URL:?the address of the service}" "${FOLDGATE_KEY:?an API key}"

# The key is passed on standard input, because every user of the machine can read the arguments of a process.
with_key() {
  printf 'header = "Authorization: Bearer %s"\n' "$FOLDGATE_KEY" |
    curl --config - --silent --show-error --fail-with-body "$@"
}

# call METHOD PARAMS: prints the answer. A failure is printed to standard error and ends the script.
call() {
  answer=$(with_key --data "$2" "$FOLDGATE_URL/public/v1/api/$1") || {
    echo "$1: $answer" >&2
    return 1
  }
  echo "$answer"
}

projects=$(call projects/list '{"page":{"limit":500}}')
echo "$projects"
first=$(echo "$projects" | grep -o '"projectId":"[^"]*"[^}]*"state":"computed"' | head -n 1 | cut -d '"' -f 4)
project=${1:-$first}

call projects/describe "{\"projectId\":\"$project\",\"relation\":\"dash_ipbes\"}"

sql='SELECT ipbes_pressure, value FROM dash_ipbes ORDER BY value DESC NULLS LAST, ipbes_pressure'
call projects/query "{\"projectId\":\"$project\",\"sql\":\"$sql\",\"page\":{\"limit\":3}}"

export=$(call projects/export "{\"projectId\":\"$project\",\"sql\":\"SELECT * FROM fold_pressures\"}")
url=$(echo "$export" | grep -o '"url":"[^"]*"' | cut -d '"' -f 4)
with_key --output "${2:-pressures.parquet}" "$url"
echo "downloaded $(wc -c <"${2:-pressures.parquet}") bytes"
