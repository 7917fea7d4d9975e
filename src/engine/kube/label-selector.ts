/** Labels of an object, or its fields keyed by path. */
export type Labels = Readonly<Record<string, string>>;

/** One requirement on a label: its value is in `values`, is not in `values`, exists, or is missing. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | 'missing';
  readonly values: readonly string[];
}

export interface Selector {
  /** The source text, for API requests. */
  readonly text: string;
  readonly requirements: readonly Requirement[];
}

const name = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const key = `(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?${name}`;
const value = new RegExp(`^(?:${name})?$`);
const requirement = new RegExp(
  `\\s*(?:!\\s*(?<missing>${key})|(?<key>${key})(?:\\s*(?<equality>==|=|!=)\\s*(?<value>${name})?|\\s+(?<set>in|notin)\\s*\\((?<values>[^()]*)\\))?)\\s*(?<end>,(?!\\s*$)|$)`,
  'y',
);

/** Parses a label selector of Kubernetes: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`; a comma means AND. Undefined if it is invalid. */
export function parseLabelSelector(text: string): Selector | undefined {
  if (text.trim() === '') return { text, requirements: [] };
  const requirements: Requirement[] = [];
  for (const { groups = {} } of matchesInRow(text)) {
    const parsed = requirementOf(groups);
    if (parsed === undefined) return undefined;
    requirements.push(parsed);
    if (groups['end'] === '') return { text, requirements };
  }
  return undefined;
}

export function selects({ requirements }: Pick<Selector, 'requirements'>, labels: Labels): boolean {
  return requirements.every((requirement) => holds(requirement, labels));
}

/** As in Kubernetes, an object without the label matches `notin` and `!=`. */
function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  const actual = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return actual !== undefined;
    case 'missing':
      return actual === undefined;
    case 'in':
      return actual !== undefined && values.includes(actual);
    case 'notin':
      return actual === undefined || !values.includes(actual);
  }
}

type Groups = Readonly<Record<string, string | undefined>>;

function requirementOf({ missing, key = '', equality, value: one = '', set, values = '' }: Groups) {
  if (missing !== undefined) return { key: missing, operator: 'missing', values: [] } as const;
  if (equality !== undefined)
    return { key, operator: equality === '!=' ? 'notin' : 'in', values: [one] } as const;
  if (set === undefined) return { key, operator: 'exists', values: [] } as const;
  const list = values.split(',').map((each) => each.trim());
  if (!list.every((each) => value.test(each))) return undefined;
  return { key, operator: set === 'in' ? 'in' : 'notin', values: list } as const;
}

/** Matches that each start at the end of the previous one. */
function* matchesInRow(text: string): Iterable<RegExpExecArray> {
  const sticky = new RegExp(requirement);
  for (let match = sticky.exec(text); match !== null; match = sticky.exec(text)) yield match;
}
