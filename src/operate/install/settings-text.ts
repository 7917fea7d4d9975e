import { isDeepStrictEqual } from 'node:util';
import { Document, parseDocument } from 'yaml';
import { installWords, placesOf } from './layout.ts';

export interface SettingsChange {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Applies only if nothing is set: a value in the file stays. */
  readonly isDefault?: true;
}

function headerOf(instance: string | undefined): string {
  const check = instance === undefined ? '' : ` --settings ${placesOf(instance).settings}`;
  return [
    ' yaml-language-server: $schema=config.schema.json',
    ` hawser's settings, on this node. \`hawser settings${check}\` checks this file; after a change type \`${installWords(instance)}\`.`,
  ].join('\n');
}

/**
 * The text of the settings file with some values set. Everything else stays, comments and order included, because the
 * file belongs to the operator. Without a change the text is the same.
 */
export function settingsText(
  existing: string | undefined,
  changes: readonly SettingsChange[],
  instance?: string,
): string {
  const document = existing === undefined ? new Document({}) : parseDocument(existing);
  if (existing === undefined) document.commentBefore = headerOf(instance);
  const now: unknown = document.toJS();
  const needed = changes.filter(({ path, value, isDefault }) => {
    const current = path.reduce(fieldOf, now);
    return isDefault ? current === undefined : !isDeepStrictEqual(current, value);
  });
  if (existing !== undefined && needed.length === 0) return existing;
  for (const { path, value } of needed) document.setIn(path, document.createNode(value, { flow: true }));
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
