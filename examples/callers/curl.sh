#!/bin/sh
# Calls every method with curl and downloads an export. The service and the key come from the environment:
#   FOLDGATE_URL=https://data.example FOLDGATE_KEY=... sh curl.sh [project id] [file]
# The file ends with the name of its format: .parquet, .csv, .ndjson, .arrow or .xlsx.
set -eu
: "${FOLDGATE_URL:?the address of the service}" "${FOLDGATE_KEY:?an API key}"

# The key is passed on standard input, because every user of the machine can read the arguments of a process.
with_key() {
  printf 'header = "Authorization: Bearer %s"\n' "$FOLDGATE_KEY" |
    curl --config - --silent --show-error "$@"
}

# call METHOD PARAMS: prints the answer. A failure is printed to standard error and ends the script.
call() {
  answer=$(with_key --data "$2" "${FOLDGATE_URL%/}/public/v1/api/$1")
  # printf, because the echo of some shells turns the \n in a JSON string into a line break.
  case $answer in
    '{"result":'*) printf '%s\n' "$answer" && return ;;
    '{"code":'*) printf '%s: %s\n' "$1" "$answer" >&2 ;;
    *) printf '%s: not an answer of the service; is it starting? Check FOLDGATE_URL. %.200s\n' "$1" "$answer" >&2 ;;
  esac
  return 1
}

# first_of NAME: prints the first string with this name in the JSON on standard input.
first_of() {
  grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4
}

projects=$(call projects/list '{"page":{"limit":500}}')
printf '%s\n' "$projects"
first=$(printf '%s\n' "$projects" | grep -o '"projectId":"[^"]*"[^}]*"state":"computed"' | first_of projectId)
project=${1:-$first}

call projects/describe "{\"projectId\":\"$project\",\"relation\":\"dash_ipbes\"}"

# $least stands for a value, which is sent beside the statement. Single quotes keep the shell from replacing it.
sql='SELECT ipbes_pressure, value FROM dash_ipbes WHERE value >= $least ORDER BY value DESC, ipbes_pressure'
more='"parameters":{"least":0.1},"include":["columns","total"],"page":{"limit":3}'
call projects/query "{\"projectId\":\"$project\",\"sql\":\"$sql\",$more}"

file=${2:-pressures.parquet}
sql='SELECT * FROM fold_pressures'
exported=$(call projects/export "{\"projectId\":\"$project\",\"sql\":\"$sql\",\"format\":\"${file##*.}\"}")
url=$(printf '%s\n' "$exported" | first_of url)
# Only the path of the link is used, so that the key is sent to no other address.
with_key --fail --output "$file" "${FOLDGATE_URL%/}/public/${url##*/public/}"
printf 'downloaded %d bytes\n' "$(wc -c <"$file")"
