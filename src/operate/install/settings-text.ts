import { isDeepStrictEqual } from 'node:util';
import { Document, parseDocument } from 'yaml';

export interface SettingsChange {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Applies only if nothing is set: a value in the file stays. */
  readonly isDefault?: true;
}

const HEADER = [
  ' yaml-language-server: $schema=config.schema.json',
  " hawser's settings, on this node. `hawser settings` checks this file; after a change type `hawser install`.",
].join('\n');

/**
 * The text of the settings file with some values set. Everything else stays, comments and order included, because the
 * file belongs to the operator. Without a change the text is the same.
 */
export function settingsText(existing: string | undefined, changes: readonly SettingsChange[]): string {
  const document = existing === undefined ? new Document({}) : parseDocument(existing);
  if (existing === undefined) document.commentBefore = HEADER;
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
