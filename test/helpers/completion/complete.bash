# bash complete.bash SCRIPT WORD...: what bash would offer for the last of these words, one a line.
source "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
# It may be called by readline only, and says so.
compopt() { :; }
_hawser
printf '%s\n' "${COMPREPLY[@]}"
