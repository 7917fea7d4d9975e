/**
 * Whether a rule of the manifests holds. The rules use the part of CEL that is JavaScript except for a few names, so
 * that a test can evaluate them without an API server. This does not show that an API server accepts the rule.
 */
export function celHolds(rule: string, variables: Readonly<Record<string, unknown>>): boolean {
  const script = rule
    .replaceAll(/([!=])=/g, '$1==')
    .replaceAll(/has\(([\w.]+)\)/g, '($1 !== undefined)')
    .replaceAll('.matches(', '.match(')
    .replaceAll('.lowerAscii()', '.toLowerCase()')
    .replaceAll(/([\w.()]+) in (\[[^\]]*\])/g, '$2.includes($1)')
    .replaceAll(/\.all\((\w+), /g, '.every(($1) => ')
    .replaceAll(/\.exists\((\w+), /g, '.some(($1) => ');
  const evaluate = new Function(...Object.keys(variables), `return ${script}`);
  return Boolean(evaluate(...Object.values(variables)));
}
