# zsh -f complete.zsh SCRIPT LINE: what an interactive zsh makes of LINE and a tabulator, without `hawser` in front.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; unsetopt prompt_sp; autoload -Uz compinit; compinit -u -D; source ${(q)1}; hawser() { print -r -- \"<\$*>\" }; print READ''Y"
zpty -r shell answer '*READY*'
zpty -w -n shell "$2"$'\t\n'
zpty -r shell answer '*<*>*'
print -r -- "${${answer##*<}%%>*}"
zpty -d shell
