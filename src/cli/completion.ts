import { type CommandSpec, type Flag, flagName } from './command-spec.ts';
import { fileFormOf } from './settings-form.ts';

/** A bash script that completes hawser. It does not run hawser, which may be in a container: awk searches the next words in a table. */
export function completionScript(specs: readonly CommandSpec[]): string {
  const rows = [...namesOf(specs), ...specs.flatMap(rowsOf)].map((row) => row.join('\t'));
  const table = quoted([...new Set(rows)].join('\n'));
  return script(`printf '%s\\n' ${table} | awk -- ${quoted(lookUp)} "\${words[@]}"`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * `word` may follow `before`: `haproxy` is followed by `supervise`, `haproxy supervise` by `--socket`, and `haproxy supervise --socket` by its
 * values. These are words, or a kind: `path` or `directories`, which bash completes, or `text`. Words of a `list` are separated by commas.
 */
type Row = readonly [before: string, word: string, kind?: string];

function namesOf(specs: readonly CommandSpec[]): readonly Row[] {
  return specs.flatMap(({ name }): readonly Row[] => {
    const [first = '', ...others] = name.split(' ');
    return [['', first], ...(others.length === 0 ? [] : [[first, others.join(' ')] as const])];
  });
}

function rowsOf({ name, flags, positionals }: CommandSpec): readonly Row[] {
  const given = Object.values(positionals).flatMap((each) => valueRows(name, { value: '<path>', ...each }));
  const own = Object.entries(flags).flatMap(([key, flag]): readonly Row[] => [
    [name, flagName(key)],
    ...valueRows(`${name} ${flagName(key)}`, flag),
  ]);
  return [...given, ...own, [name, '--help']];
}

/** The placeholder names the kind: `<path>`, `<dirs>`. */
function valueRows(before: string, flag: Pick<Flag, 'value' | 'field' | 'choices'>): readonly Row[] {
  const [, kind, s] = /<(.+?)(s?)>/.exec(flag.value ?? '') ?? [];
  const words = flag.choices ?? fileFormOf(flag)['enum'];
  if (kind === undefined) return [];
  const list: readonly Row[] = s === '' ? [] : [[before, '', 'list']];
  if (Array.isArray(words)) return [...list, ...words.map((word: string): Row => [before, word])];
  return [[before, '', kind === 'dir' ? 'directories' : kind === 'path' ? kind : 'text']];
}

/** Its last argument is the word at the cursor. Prints words, or after a tab the kinds that bash completes. */
const lookUp = `BEGIN { FS = OFS = "\\t"; n = ARGC - 1; for (i = 1; i <= n; i++) typed[i] = ARGV[i]; ARGC = 1 }
{ before[NR] = $1; word[NR] = $2; kind[NR] = $3; known[$1] }
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
    if (word[i] == "") { if (kind[i] ~ /^(path|directories)$/) print "", kind[i] }
    else if (now ~ /^-/ || word[i] !~ /^-/ || !(value in others)) print start word[i]
  }
}`;

/** Needs bash 4, but not the package bash-completion. Bash treats the "=" of --flag=value as a separate word. */
const script = (offered: string) => `# Completes hawser in bash. Made by: hawser completion
_hawser() {
  local word line words=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do [[ $word == = ]] || words+=("$word"); done
  [[ $word != = ]] || { word=; words+=(''); }
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      $'\\tpath') compopt -o filenames; mapfile -t -O \${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$word") ;;
      $'\\tdirectories') compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
      "$word"*) COMPREPLY+=("$line") ;;
    esac
  done < <(${offered})
}
complete -F _hawser hawser
`;
