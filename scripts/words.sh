# . scripts/words.sh     what the scripts say when they cannot begin: one sentence, exit 2.

# stop SENTENCE
stop() {
  { printf '%s: %s' "${0##*/}" "$*" | LC_ALL=C tr '\001-\037\177' '[?*]'; echo; } >&2
  exit 2
}

# one_of WHAT WORD ALLOWED...
one_of() {
  local what=$1 word=$2 allowed list
  shift 2
  for allowed; do [ "$word" != "$allowed" ] || return 0; done
  list=$(printf ', %s' "$@")
  stop "unknown $what '$word'; it is one of ${list#, }"
}

# so_many LEAST MOST USAGE "$@"
so_many() {
  local least=$1 most=$2 usage=$3
  shift 3
  [ $# -ge "$least" ] && [ $# -le "$most" ] || stop "usage: $usage"
}

# no_words "$@"
no_words() {
  [ $# = 0 ] || stop "takes no arguments, but got '$1'"
}

# a_folder FOLDER
a_folder() {
  [ -d "$1" ] || stop "'$1' is not a folder"
}

# built PROGRAM     what the script starts is there.
built() {
  [ -x "$1" ] || stop "there is no program $1; build it with: scripts/setup/build programs"
}

# a_path_that_builds     before anything is made: CMake and Python's environments cannot work in every folder.
a_path_that_builds() {
  case $PWD in
    *[\"\;\\\#:]* | *'
'*) stop "CMake and Python cannot work in a folder whose path has one of \" ; \\ # : or a line end; move this one: $PWD" ;;
  esac
}
