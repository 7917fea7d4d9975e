export type Labels = Readonly<Record<string, string>>;

/** `key`, `!key`, `key=value`, `key==value`, `key!=value`, joined by commas for AND, as in Kubernetes. */
export function matchesSelector(selector: string, labels: Labels): boolean {
  const terms = selector.split(',').map((term) => term.trim());
  return terms.filter((term) => term !== '').every((term) => matchesTerm(term, labels));
}

function matchesTerm(term: string, labels: Labels): boolean {
  if (term.startsWith('!')) return labels[term.slice(1)] === undefined;
  const match = termPattern.exec(term);
  if (match === null) return labels[term] !== undefined;
  const [, key = '', operator, value] = match;
  return operator === '!=' ? labels[key] !== value : labels[key] === value;
}

const termPattern = /^([^=!]+)(!=|==?)(.*)$/;
/** Besides name and namespace, which every kind has. */
const fieldsOf: Readonly<Record<string, string>> = { Secret: 'type', Route: 'spec.host' };

/** The first field by which lists of this kind cannot be selected. */
export function unsupportedField(kind: string, selector: string): string | undefined {
  const supported = ['', 'metadata.name', 'metadata.namespace', fieldsOf[kind]];
  return selector
    .split(',')
    .map((term) => termPattern.exec(term)?.[1] ?? '')
    .find((path) => !supported.includes(path));
}

/** `metadata.name=cp-1,spec.host!=a.example`: fields by their path. */
export function matchesFields(selector: string, object: object): boolean {
  const terms = selector.split(',').filter((term) => term !== '');
  return terms.every((term) => {
    const [, path = '', operator, value] = termPattern.exec(term) ?? [];
    const found = path.split('.').reduce<unknown>((inner, key) => Object(inner)[key], object);
    return operator === '!=' ? found !== value : found === value;
  });
}
