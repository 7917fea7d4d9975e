import { variableName } from '../../src/cli/flag-name.ts';
import type { FileForm } from '../../src/cli/make-field.ts';
import { fileFormOf, settingsJsonSchema } from '../../src/cli/settings-form.ts';
import { type Place, type SettingsKey, sectionsOf, settingsKeys } from '../../src/cli/settings-keys.ts';
import { defaultSettingsPath } from '../../src/cli/settings-values.ts';
import { daemonKeys, pods } from '../../src/commands/pods.ts';

/** schemas/config.schema.json. */
export function schemaText(): string {
  return `${JSON.stringify(settingsJsonSchema(daemonKeys), null, 2)}\n`;
}

/** docs/configuration.md. */
export function referencePage(): string {
  const tableOf = (place: Place) => daemonKeys.filter((key) => key.place === place).map(rowOf);
  const head = ['| key | value | default | what it is |', '|---|---|---|---|'];
  return [
    ...introduction,
    ...restarts(),
    '## At the top: the cluster and this node',
    '',
    ...[...head, ...tableOf('top')],
    '',
    ...sectionsOf(daemonKeys).flatMap((section) => [
      ...[`## Under \`${section}:\``, ''],
      ...[...head, ...tableOf(section), ''],
    ]),
  ].join('\n');
}

const introduction = [
  '# Settings',
  '',
  '<!-- Made by scripts/reference.ts from the flags of the daemons: change those. -->',
  '',
  `The four daemons and the commands about their node read \`${defaultSettingsPath}\`, if it is there;`,
  '`--settings PATH` or `HAWSER_SETTINGS` names another one, which must be there. For each setting the flag comes first,',
  'then its variable, then the file, then the default. A key is its flag in camel case: `advertInterval` is',
  '`--advert-interval` and `HAWSER_ADVERT_INTERVAL`; where the variable has another name, it stands in brackets.',
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
  '`hawser settings` checks the file and lists everything that is wrong with it, with lines; an unknown key is an error that',
  'names the nearest known one. `hawser show-config` and `hawser show-config keepalived` say where each value of a monitor came',
  'from. The file is read when a daemon starts: what was edited takes effect when the containers are restarted (the monitors',
  'log `settings-changed`). Check it before: a daemon does not start with a broken file. After changing a port run',
  '`hawser install`, which writes it into the probes too.',
  '',
  'The section `router` is read by `hawser router`, `hawser router render` and `hawser router explain` alone. It belongs in a file of the router: no',
  'static pod reads it, and `hawser install` refuses it in the file of a node. The pod proxy reads no settings file.',
  '',
  'With `--instance NAME`, a program reads a file only if it is named, and has no default for a port: [instances](instances.md).',
  '',
];

/** Which pods `hawser install` restarts after a setting has changed. */
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
    '`hawser install` restarts the pods that use a changed setting, with all their containers; `hawser install --dry-run` prints the diff of every file and names',
    'those pods. A changed template restarts nothing: its monitor renders it again. `hawser doctor` warns if a pod is older than its settings file.',
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
  if (Array.isArray(choices)) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (Array.isArray(type)) return 'list';
  if (type === 'boolean') return '`true` or `false`';
  if (type === 'integer') return `${form['minimum']} to ${form['maximum']}`;
  return typeof pattern === 'string' && pattern.includes('ms') ? 'duration (`500ms`, `55s`, `2m`)' : 'text';
}
