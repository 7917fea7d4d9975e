import { defaultSettingsPath, variableName } from '../../src/cli/command-spec.ts';
import type { FileForm } from '../../src/cli/fields.ts';
import {
  fileFormOf,
  type SettingsKey,
  sectionsOf,
  settingsJsonSchema,
  settingsKeys,
} from '../../src/cli/settings-form.ts';
import { daemonKeys, pods } from '../../src/commands/pods.ts';

/** schemas/config.schema.json. */
export function schemaText(): string {
  return `${JSON.stringify(settingsJsonSchema(daemonKeys), null, 2)}\n`;
}

/** docs/configuration.md. */
export function referencePage(): string {
  const sections = sectionsOf(daemonKeys).filter((section) => section !== 'router');
  return [
    ...introduction,
    ...restarts(),
    '## At the top: the cluster and this node',
    '',
    ...tableOf('top'),
    ...sections.flatMap((section) => [...[`## Under \`${section}:\``, ''], ...tableOf(section)]),
  ].join('\n');
}

/** docs/router-settings.md. */
export function routerPage(): string {
  return [...routerIntroduction, ...tableOf('router')].join('\n');
}

function tableOf(place: string): readonly string[] {
  const rows = daemonKeys.filter((key) => key.place === place).map(rowOf);
  return ['| key | value | default | what it is |', '|---|---|---|---|', ...rows, ''];
}

const introduction = [
  '# Settings',
  '',
  '<!-- Made by scripts/reference.ts from the flags of the daemons: change those. -->',
  '',
  `Edit \`${defaultSettingsPath}\` on each node, check it, and apply it:`,
  '',
  '```sh',
  'hawser settings          # lists every problem with its line',
  'hawser install --dry-run # shows the diff of every file and which pods would restart',
  'hawser install',
  '```',
  '',
  '```yaml',
  '# yaml-language-server: $schema=config.schema.json',
  'apiVips: [192.0.2.100]',
  'clusterName: production',
  'haproxy:',
  '  drainTimeout: 55s',
  'keepalived:',
  '  monitorTimeout: 3s',
  '```',
  '',
  'The daemons and the commands on a node read this file; `--settings PATH` or `HAWSER_SETTINGS` names another, which must exist. A flag takes precedence',
  'over its variable, then the file, then the default. The key `checkInterval` is the flag `--check-interval` and the variable `HAWSER_CHECK_INTERVAL`;',
  'if the variable has another name, it follows in brackets. Durations are written `500ms`, `55s` or `2m`. An unknown key is an error that names the nearest',
  'known one.',
  '',
  'A daemon reads the file when it starts, and does not start with a broken one. `hawser show-config` and `hawser show-config keepalived` print where each',
  "value of a monitor comes from. The router's settings are on [a page of their own](router-settings.md); `hawser install` refuses them in the file of a node.",
  'The pod proxy reads no settings file.',
  '',
];

const routerIntroduction = [
  '# Router settings',
  '',
  '<!-- Made by scripts/reference.ts from the flags of the router: change those. -->',
  '',
  '`hawser router`, `hawser router render` and `hawser router explain` take each setting as a flag (`--http-port`), as a variable (in brackets:',
  "openshift-router's name for it, else `HAWSER_HTTP_PORT`), or under `router:` in a file that `--settings` names. The flag takes precedence, then the",
  'variable, then the file. Durations are written `500ms`, `55s` or `2m`. [Router](router.md) explains what they do.',
  '',
];

/** The pods that `hawser install` restarts after a setting has changed. */
function restarts(): readonly string[] {
  const known = pods.map((pod) => ({ pod: pod.name, keys: settingsKeys(pod.daemons) }));
  const top = daemonKeys.filter(({ place }) => place === 'top').map(({ key }) => key);
  const podsWith = (key: string) =>
    known
      .filter(({ keys }) => keys.some((each) => each.place === 'top' && each.key === key))
      .map(({ pod }) => pod);
  const rowFor = (names: readonly string[], keys: readonly string[]) =>
    `| ${keys.map((key) => `\`${key}\``).join(', ')} | ${names.map((name) => `\`${name}\``).join(', ')} |`;
  const groups = Map.groupBy(
    top.filter((key) => podsWith(key).length > 0),
    (key) => podsWith(key).join(),
  );
  return [
    '## What a changed setting restarts',
    '',
    '`hawser install` restarts the pods that use a changed setting, with all their containers. A changed template restarts nothing: its monitor renders it',
    'again. `hawser doctor` warns if a pod is older than its settings file.',
    '',
    ...['| setting | pods that restart |', '|---|---|'],
    ...[...groups].map(([names, keys]) => rowFor(names.split(','), keys)),
    ...known.map(({ pod }) => `| everything under \`${pod}:\` | \`${pod}\` |`),
    '',
  ];
}

function rowOf(key: SettingsKey): string {
  const fallback = key.default === undefined ? '' : `\`${key.default}\``;
  const isForeign = key.variable !== undefined && key.variable !== variableName(key.key);
  const help = `${key.help}${isForeign ? ` (\`${key.variable}\`)` : ''}`.replaceAll('|', '\\|');
  return `| \`${key.key}\` | ${shownForm(fileFormOf(key))} | ${fallback} | ${help} |`;
}

function shownForm(form: FileForm): string {
  const { type, enum: choices, pattern, anyOf } = form;
  if (Array.isArray(anyOf)) return anyOf.map(shownForm).join(', ');
  if ('const' in form) return `\`${form['const']}\``;
  if (Array.isArray(choices)) return shownChoices(choices.map((choice) => `\`${choice}\``));
  if (Array.isArray(type)) return 'list';
  if (type === 'boolean') return 'boolean';
  if (type === 'integer') return `${form['minimum']}–${form['maximum']}`;
  return typeof pattern === 'string' && pattern.includes('ms') ? 'duration' : 'text';
}

/** The only long list is syslog's, for which the first and last items suffice. */
function shownChoices(choices: readonly string[]): string {
  return choices.length <= 8 ? choices.join(', ') : `${choices[0]} to ${choices.at(-1)}`;
}
