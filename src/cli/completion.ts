import type { CommandSpec, Flag } from './command-spec.ts';
import { flagName } from './flag-name.ts';
import { fileFormOf } from './settings-form.ts';

export type Shell = keyof typeof scripts;

/** The script does not run hawser, which may be a container away: awk looks up in a table what may follow the words. */
export function completionScript(shell: Shell, specs: readonly CommandSpec[]): string {
  const rows = [...namesOf(specs), ...specs.flatMap(rowsOf)].map((row) => row.join('\t'));
  const table = quoted([...new Set(rows)].join('\n'));
  return scripts[shell]((words) => `printf '%s\\n' ${table} | awk -- ${quoted(lookUp)} ${words}`);
}

/** Alike in the three shells, for a text without a backslash in front of another one or of a quote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * `haproxy` is followed by `supervise`, `haproxy supervise` by `--socket`, and `haproxy supervise --socket` by its value: by
 * words, or without one by what the shell knows, `path` or `directories`, or by `text`. Words of a `list` take commas.
 */
type Row = readonly [before: string, word: string, helpOrKind: string];

function namesOf(specs: readonly CommandSpec[]): readonly Row[] {
  const groups = Map.groupBy(specs, ({ name }) => name.split(' ')[0] ?? '');
  return [...groups].flatMap(([first, members]): readonly Row[] => {
    const own = members.find(({ name }) => name === first);
    const others = members.filter((each) => each !== own);
    const seconds = others.map(({ name, summary }): Row => [first, name.slice(first.length + 1), summary]);
    return [['', first, own?.summary ?? seconds.map(([, second]) => second).join(', ')], ...seconds];
  });
}

function rowsOf({ name, flags, positionals }: CommandSpec): readonly Row[] {
  const given = Object.values(positionals).flatMap((each) => valueRows(name, { value: '<path>', ...each }));
  const own = Object.entries(flags).flatMap(([key, flag]): readonly Row[] => [
    [name, flagName(key), flag.help],
    ...valueRows(`${name} ${flagName(key)}`, flag),
  ]);
  return [...given, ...own, [name, '--help', 'what it does, and its flags']];
}

/** The placeholder names the kind: `<path>`, `<dirs>`. */
function valueRows(before: string, flag: Pick<Flag, 'value' | 'field' | 'choices'>): readonly Row[] {
  const [, kind, s] = /<(.+?)(s?)>/.exec(flag.value ?? '') ?? [];
  const words = flag.choices ?? fileFormOf(flag)['enum'];
  if (kind === undefined) return [];
  const list: readonly Row[] = s === '' ? [] : [[before, '', 'list']];
  if (Array.isArray(words)) return [...list, ...words.map((word: string): Row => [before, word, ''])];
  return [[before, '', kind === 'dir' ? 'directories' : kind === 'path' ? kind : 'text']];
}

/** Its last argument is the word at the cursor. Prints words with their help, and kinds that the shell completes. */
const lookUp = `BEGIN { FS = OFS = "\\t"; n = ARGC - 1; for (i = 1; i <= n; i++) typed[i] = ARGV[i]; ARGC = 1 }
{ before[NR] = $1; word[NR] = $2; help[NR] = $3; known[$1] }
{ if ($2 !~ /^-/) others[$1]; if ($3 == "list") lists[$1] }
END {
  for (i = 1; i < n; i++) {
    longer = command (command == "" ? "" : " ") typed[i]
    if (value != "") value = ""
    else if (typed[i] ~ /^-/) { behind = 1; if (longer in known) value = longer }
    else if (!behind && (longer in known)) command = longer
    else behind = 1
  }
  now = flag = typed[n]
  if (value == "" && sub(/=.*/, "", flag) && (command " " flag) in known) { value = command " " flag; start = flag "=" }
  if (value == "") value = command
  if (value in lists && match(now, /.*,/)) start = substr(now, 1, RLENGTH)
  for (i = 1; i <= NR; i++) if (before[i] == value) {
    if (word[i] == "") { if (help[i] ~ /^(path|directories)$/) print "", help[i] }
    else if (now ~ /^-/ || word[i] !~ /^-/ || !(value in others)) print start word[i], help[i]
  }
}`;

const scripts = {
  // Needs bash 4, not the package bash-completion. The "=" of --flag=value is a word of its own there.
  bash: (offered: (words: string) => string) => `# Completes hawser in bash. Made by: hawser completion bash
_hawser() {
  local word line words=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do [[ $word == = ]] || words+=("$word"); done
  [[ $word != = ]] || { word=; words+=(''); }
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      $'\\tpath') compopt -o filenames; mapfile -t -O \${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$word") ;;
      $'\\tdirectories') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
      "$word"*) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(${offered(`"\${words[@]}"`)})
}
complete -F _hawser hawser\n`,
  // Works as a file named _hawser in fpath, and when it is sourced after compinit.
  zsh: (offered: (words: string) => string) => `#compdef hawser
# Completes hawser in zsh. Made by: hawser completion zsh
_hawser() {
  local line; local -a described files
  for line in "\${(@f)$(${offered(`"\${(@)words[2,CURRENT-1]}" "$PREFIX"`)})}"; do
    case $line in
      $'\\tpath') files=(_files) ;;
      $'\\tdirectories') files=(_files -/) ;;
      ?*) described+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done
  (($#described)) && _describe -t commands hawser described
  (($#files)) && { compset -P '--*='; $files }
}
if [[ "\${funcstack[1]}" == _hawser ]]; then _hawser "$@"; else compdef _hawser hawser; fi\n`,
  fish: (offered: (words: string) => string) => `# Completes hawser in fish. Made by: hawser completion fish
function __hawser_offered
    set -l word (commandline -ct)
    set -l flag (string match -r -- '^--[a-z-]+=' "$word")
    for line in (${offered(`(commandline -opc)[2..-1] "$word"`)})
        set -l completes (string replace -rf '^\\t' __fish_complete_ -- $line); or echo $line
        test -z "$completes"; or $completes (string replace -- "$flag" '' "$word") | string replace -r '^' -- "$flag"
    end
end
complete -c hawser -f -a '(__hawser_offered)'\n`,
};
