import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { celHolds } from '../../helpers/cel.ts';

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly not?: Schema;
  readonly allOf?: readonly Schema[];
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message: string }[];
}

const path = join(import.meta.dirname, '../../../manifests/router/route-crd.yaml');
const schema: Schema = parse(readFileSync(path, 'utf8'), { merge: true }).spec.versions[0].schema
  .openAPIV3Schema;

/** The API's objections to a value. CEL transition rules apply only if there was a previous value. */
function refusals(at: Schema, value: unknown, before: unknown): readonly string[] {
  const problems: string[] = [];
  for (const { rule, message } of at['x-kubernetes-validations'] ?? [])
    if (
      (before !== undefined || !rule.includes('oldSelf')) &&
      !celHolds(rule, { self: value, oldSelf: before })
    )
      problems.push(message);
  if (at.enum !== undefined && !at.enum.includes(value)) problems.push('enum');
  for (const { not } of at.allOf ?? []) if (not?.enum?.includes(value)) problems.push('not');
  if (typeof value === 'string') {
    if (at.pattern !== undefined && !new RegExp(at.pattern).test(value)) problems.push('pattern');
    if (value.length > (at.maxLength ?? Number.POSITIVE_INFINITY)) problems.push('maxLength');
  }
  if (Array.isArray(value)) {
    const keys = value.map((each) =>
      JSON.stringify(at['x-kubernetes-list-map-keys']?.map((key) => each[key] ?? 'Service')),
    );
    if (at['x-kubernetes-list-map-keys'] !== undefined && new Set(keys).size < keys.length)
      problems.push('duplicate');
    return [...problems, ...value.flatMap((each) => refusals(at.items ?? {}, each, undefined))];
  }
  if (typeof value !== 'object' || value === null) return problems;
  const old: Readonly<Record<string, unknown>> = typeof before === 'object' ? { ...before } : {};
  const inner = Object.entries(value).flatMap(([name, each]) =>
    refusals(at.properties?.[name] ?? {}, each, old[name]),
  );
  return [...problems, ...inner];
}

const spec = schema.properties?.['spec'] ?? {};
const to = { kind: 'Service', name: 'web', weight: 100 };
const said = (fields: object, before?: object) =>
  refusals(spec, { to, ...fields }, before && { to, ...before });
const tls = (fields: object) => ({ tls: { termination: 'edge', ...fields } });
const headers = (...request: readonly object[]) => ({ httpHeaders: { actions: { request } } });
const set = (name: string, value: string) => ({ name, action: { type: 'Set', set: { value } } });

describe('a Route is edited to claim another host (H1)', () => {
  test.each<[string, object, object]>([
    ['changed', { host: 'a.test' }, { host: 'b.test' }],
    ['set', {}, { host: 'b.test' }],
    ['removed', { host: 'a.test' }, {}],
  ])('spec.host cannot be %s', (_, before, after) => {
    expect(said(after, before)).toEqual(['spec.host cannot be changed: create another Route']);
  });

  test.each<[string, object, object]>([
    ['changed', { subdomain: 'a' }, { subdomain: 'b' }],
    ['set', {}, { subdomain: 'b' }],
    ['removed', { subdomain: 'a' }, {}],
  ])('spec.subdomain cannot be %s', (_, before, after) => {
    expect(said(after, before)).toEqual(['spec.subdomain cannot be changed: create another Route']);
  });

  test.each<[string, object, object]>([
    ['Subdomain', { host: 'a.test' }, { host: 'a.test', wildcardPolicy: 'Subdomain' }],
    ['None', { host: 'a.test', wildcardPolicy: 'Subdomain' }, { host: 'a.test', wildcardPolicy: 'None' }],
  ])('spec.wildcardPolicy cannot become %s', (_, before, after) => {
    expect(said(after, before)).toEqual(['spec.wildcardPolicy cannot be changed: create another Route']);
  });

  test('everything else can be changed', () => {
    const before = { host: 'a.test', wildcardPolicy: 'None', path: '/a' };
    expect(said({ ...before, path: '/b', to: { ...to, name: 'other' } }, before)).toEqual([]);
    expect(said({ host: 'a.test', wildcardPolicy: '' }, { host: 'a.test', wildcardPolicy: 'None' })).toEqual(
      [],
    );
  });
});

test.each<[string, object]>([
  ['a host in upper case', { host: 'A.Example.com' }],
  ['no host', { host: '' }],
  ['a path', { path: '/a b' }],
  ['a service without kind', { to: { kind: '', name: 'web' } }],
  ['a number as port', { port: { targetPort: 8080 } }],
  ['edge with a certificate', tls({ certificate: 'c', key: 'k' })],
  ['edge with a Secret', tls({ externalCertificate: { name: 's' } })],
  [
    'passthrough with Redirect',
    tls({ termination: 'passthrough', insecureEdgeTerminationPolicy: 'Redirect' }),
  ],
  ['reencrypt with a CA', tls({ termination: 'reencrypt', destinationCACertificate: 'c' })],
  [
    'headers',
    headers(set('X-A', '%[req.hdr(X-B),lower] 100%%'), { name: 'Host', action: { type: 'Delete' } }),
  ],
  ['a certificate in a header', headers(set('X-A', '%{+Q}[ssl_c_der,base64]'))],
])('the API accepts %s', (_, fields) => {
  expect(said(fields)).toEqual([]);
});

test.each<[string, object]>([
  ['a host with an underscore', { host: 'a_b.test' }],
  ['a host with a wildcard', { host: '*.a.test' }],
  ['a label of 64 characters', { host: `${'a'.repeat(64)}.test` }],
  ['a subdomain with a dot at its end', { subdomain: 'a.' }],
  ['an IP address as host', { host: '10.77.0.11' }],
  ['localhost', { host: 'localhost' }],
  ['a host below localhost', { host: 'a.localhost' }],
  ['a path without /', { path: 'a' }],
  ['a path of 4,097 characters', { path: `/${'a'.repeat(4_096)}` }],
  ['port 0', { port: { targetPort: 0 } }],
  ['a port without a name', { port: { targetPort: '' } }],
  ['a wildcard without host', { wildcardPolicy: 'Subdomain' }],
  ['the same service twice', { alternateBackends: [to, to] }],
  ['passthrough with a path', { path: '/a', ...tls({ termination: 'passthrough' }) }],
  ['passthrough with Allow', tls({ termination: 'passthrough', insecureEdgeTerminationPolicy: 'Allow' })],
  ['passthrough with a key', tls({ termination: 'passthrough', key: 'k' })],
  ['passthrough with a Secret', tls({ termination: 'passthrough', externalCertificate: { name: 's' } })],
  ['passthrough with headers', { ...tls({ termination: 'passthrough' }), ...headers(set('X-A', 'a')) }],
  ['both a certificate and a Secret', tls({ certificate: 'c', externalCertificate: { name: 's' } })],
  ['edge with a CA of pods', tls({ destinationCACertificate: 'c' })],
  ['a certificate of more than 64 kB', tls({ certificate: 'c'.repeat(65_537) })],
  ['the policy Disable', tls({ insecureEdgeTerminationPolicy: 'Disable' })],
  ['one header twice', headers(set('X-A', 'a'), set('X-A', 'b'))],
  ['the header Set-Cookie', headers(set('Set-Cookie', 'a'))],
  ['the header proxy', headers(set('proxy', 'a'))],
  ['a header name with a blank', headers(set('X A', 'a'))],
  ['a header value with a lone %', headers(set('X-A', '100%'))],
  ['a header value with an unknown expression', headers(set('X-A', '%[src]'))],
  ['a header value of two lines', headers(set('X-A', 'a\nb'))],
  ['a response expression in a request', headers(set('X-A', '%[res.hdr(a)]'))],
  ['Set without a value', headers({ name: 'X-A', action: { type: 'Set' } })],
  ['Delete with a value', headers({ name: 'X-A', action: { type: 'Delete', set: { value: 'a' } } })],
])('the API refuses %s', (_, fields) => {
  expect(said(fields)).not.toEqual([]);
});

test("every text and list in a rule is bounded, so that the API can bound the rule's cost", () => {
  const unbounded = (where: string, at: Schema): readonly string[] => [
    ...(at.type === 'string' && at.maxLength === undefined && at.enum === undefined ? [where] : []),
    ...(at.type === 'array' && at.maxItems === undefined ? [where] : []),
    ...Object.entries(at.properties ?? {}).flatMap(([name, each]) => unbounded(`${where}.${name}`, each)),
    ...(at.items === undefined ? [] : unbounded(`${where}[]`, at.items)),
  ];
  expect(unbounded('spec', spec)).toEqual([]);
});
