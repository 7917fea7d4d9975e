import type { Requirement, Selector } from '../../engine/kube/label-selector.ts';

/** The fields of a Route that openshift-apiserver selects by, and so all that are known. */
export const selectableFields = [
  'metadata.name',
  'metadata.namespace',
  'spec.host',
  'spec.path',
  'spec.to.name',
] as const;

/** `spec.host=a.example.com,metadata.name!=b`: commas mean AND, and `\` takes `,`, `=` and itself for text. */
export function parseFieldSelector(text: string): Selector | undefined {
  if (text.trim() === '') return { text, requirements: [] };
  const terms = text.split(/(?<=(?<!\\)(?:\\\\)*),/);
  const found = terms.map(requirementOf);
  const requirements = found.filter((each) => each !== undefined);
  return requirements.length === terms.length ? { text, requirements } : undefined;
}

function requirementOf(term: string): Requirement | undefined {
  const [, key = '', operator, value = ''] =
    /^\s*([a-z.]+)\s*(!=|==?)((?:[^\\=]|\\[\\,=])*)$/.exec(term) ?? [];
  if (operator === undefined || !selectableFields.some((field) => field === key)) return undefined;
  const values = [value.replaceAll(/\\([\\,=])/g, '$1')];
  return { key, operator: operator === '!=' ? 'notin' : 'in', values };
}
