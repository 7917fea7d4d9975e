export type Labels = Readonly<Record<string, string>>;

/** `key`, `!key`, `key=value`, `key==value`, `key!=value`, joined by commas that mean AND, like the real one. */
export function matchesSelector(selector: string, labels: Labels): boolean {
  const terms = selector.split(',').map((term) => term.trim());
  return terms.filter((term) => term !== '').every((term) => matchesTerm(term, labels));
}

function matchesTerm(term: string, labels: Labels): boolean {
  if (term.startsWith('!')) return labels[term.slice(1)] === undefined;
  const match = /^([^=!]+)(!=|==?)(.*)$/.exec(term);
  if (match === null) return labels[term] !== undefined;
  const [, key = '', operator, value] = match;
  return operator === '!=' ? labels[key] !== value : labels[key] === value;
}
