# . scripts/words.sh     what the scripts say to words that they do not know: one sentence, exit 2.

# one_of WHAT WORD ALLOWED...
one_of() {
  local what=$1 word=$2 allowed list
  shift 2
  for allowed; do [ "$word" != "$allowed" ] || return 0; done
  list=$(printf ', %s' "$@")
  printf "%s: '%s' is no %s; it is one of %s\n" "${0##*/}" "$word" "$what" "${list#, }" >&2
  exit 2
}

# no_words "$@"
no_words() {
  [ $# = 0 ] || { printf "%s: takes no words, but got '%s'\n" "${0##*/}" "$1" >&2; exit 2; }
}
