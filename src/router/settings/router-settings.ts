import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { flag, flagName, type SettingsFrom, toggle, variableName } from '../../cli/command-spec.ts';
import { absolutePath, listOf, oneOf, parsedBy } from '../../cli/fields.ts';
import { parseLabelSelector, type Requirement, type Selector } from '../../engine/kube/label-selector.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import { haproxyFlags } from '../../haproxy/supervise/haproxy-flags.ts';
import { labelName, subdomainName } from '../metadata.ts';
import { admissionFlags } from './admission-flags.ts';
import { listenerFlags } from './listener-flags.ts';
import { requestFlags } from './request-flags.ts';
import { domainName, printable, tlsVersion, truth, word } from './router-fields.ts';

/** The fields of a Route that openshift-apiserver supports in selectors. */
const selectableFields = [
  'metadata.name',
  'metadata.namespace',
  'spec.host',
  'spec.path',
  'spec.to.name',
] as const;

const labels = parsedBy(parseLabelSelector, 'expected a label selector such as "a=b,c!=d,e in (f,g),h,!i"');
const fields = parsedBy(
  parseFieldSelector,
  `expected FIELD=VALUE or FIELD!=VALUE, separated by commas, of the fields ${selectableFields.join(', ')}`,
);
/** `*` selects every project that the router may read. */
const projects = parsedBy(
  (text) => parseLabelSelector(text.trim() === '*' ? '' : text),
  'expected a label selector, or * for all',
);

/** Which routes belong to this router. Routes of other routers get neither configuration nor status from it. */
const shardFlags = {
  routeLabels: flag('<selector>', z.optional(labels), 'only Routes and Ingresses with these labels', {
    variable: 'ROUTE_LABELS',
  }),
  routeFields: flag('<selector>', z.optional(fields), 'only routes with these fields, such as spec.host', {
    variable: 'ROUTE_FIELDS',
  }),
  namespaceLabels: flag('<selector>', z.optional(labels), 'only routes in namespaces with these labels', {
    variable: 'NAMESPACE_LABELS',
  }),
  projectLabels: flag('<selector>', z.optional(projects), 'the same for projects, which are namespaces', {
    variable: 'PROJECT_LABELS',
  }),
  namespace: flag('<name>', z.optional(labelName), 'only routes in this namespace'),
};

/** TLS for clients, and the certificates that do not come from routes. */
const tlsFlags = {
  defaultCertificate: flag(
    '<pem>',
    z.optional(z.string()),
    'certificate and key for hosts without their own',
    {
      variable: 'DEFAULT_CERTIFICATE',
      // It holds a key, and `hawser settings` prints the file.
      inFile: 'never',
    },
  ),
  defaultCertificatePath: flag(
    '<path>',
    z.optional(absolutePath),
    'PEM file with the default certificate and its key',
    {
      variable: 'DEFAULT_CERTIFICATE_PATH',
    },
  ),
  defaultCertificateDir: flag('<path>', z.optional(absolutePath), 'folder with tls.crt and tls.key', {
    variable: 'DEFAULT_CERTIFICATE_DIR',
  }),
  defaultDestinationCa: flag(
    '<path>',
    z.optional(absolutePath),
    'CA for pods whose route does not name one',
    {
      variable: 'DEFAULT_DESTINATION_CA_PATH',
    },
  ),
  ciphers: flag('<list>', word, 'modern, intermediate, old, or ciphers with colons', {
    default: 'intermediate',
    variable: 'ROUTER_CIPHERS',
  }),
  ciphersuites: flag('<list>', z.optional(word), 'ciphers of TLS 1.3, with colons', {
    variable: 'ROUTER_CIPHERSUITES',
  }),
  curves: flag(
    '<list>',
    z.optional(word),
    'elliptic curves, with colons (default: X25519, P-256, P-384, P-521)',
    { variable: 'ROUTER_CURVES' },
  ),
  tlsMinVersion: flag('<version>', tlsVersion, 'lowest version of TLS', {
    default: 'TLSv1.2',
    variable: 'SSL_MIN_VERSION',
  }),
  tlsMaxVersion: flag('<version>', z.optional(tlsVersion), 'highest version of TLS', {
    variable: 'SSL_MAX_VERSION',
  }),
  strictSni: toggle('refuse TLS handshakes for hosts without their own certificate', {
    variable: 'ROUTER_STRICT_SNI',
  }),
  mutualTls: flag(
    '<how>',
    oneOf(['none', 'optional', 'required']),
    'whether clients must present certificates',
    {
      default: 'none',
      variable: 'ROUTER_MUTUAL_TLS_AUTH',
    },
  ),
  mutualTlsCa: flag('<path>', absolutePath, "CA of clients' certificates", {
    default: '/etc/ssl/certs/ca-certificates.crt',
    variable: 'ROUTER_MUTUAL_TLS_AUTH_CA',
  }),
  mutualTlsCrl: flag('<path>', z.optional(absolutePath), 'CRLs of their CAs', {
    variable: 'ROUTER_MUTUAL_TLS_AUTH_CRL',
  }),
  mutualTlsFilter: flag('<regex>', z.optional(printable), "regular expression for a client's subject", {
    variable: 'ROUTER_MUTUAL_TLS_AUTH_FILTER',
  }),
  disableHttp2: toggle('offer HTTP/1.1 only', { variable: 'ROUTER_DISABLE_HTTP2' }),
};

const hostName = domainName.check(
  z.refine((name) => isIP(name) === 0, { error: 'expected a host name, not an address' }),
);

/** The maximum in the status of one Ingress. */
export const MAX_ADDRESSES = 16;

const place = parsedBy((text) => {
  const [namespace = '', name = '', ...rest] = text.trim().split('/');
  const isPlace = [labelName.safeParse(namespace), subdomainName.safeParse(name)].every(
    ({ success }) => success,
  );
  return isPlace && rest.length === 0 ? { namespace, name } : undefined;
}, 'expected NAMESPACE/NAME of a Service');

/** An address in canonical form, or a host name. */
const reachable = parsedBy(
  (text) => parseAddress(text.trim())?.text ?? domainName.safeParse(text).data,
  'expected an address or a host name',
);

/** The content of the statuses of Routes and Ingresses, and which replica writes them. */
export const statusFlags = {
  updateStatus: flag('<true|false>', truth, 'write the statuses of Routes and Ingresses', {
    default: 'true',
    variable: 'ROUTER_UPDATE_STATUS',
  }),
  serviceName: flag('<name>', subdomainName, "the router's name in Routes, the same for all replicas", {
    default: 'public',
    variable: 'ROUTER_SERVICE_NAME',
  }),
  serviceNamespace: flag('<name>', labelName, 'namespace of the Lease whose holder writes', {
    default: 'default',
    variable: 'ROUTER_SERVICE_NAMESPACE',
  }),
  canonicalHostname: flag('<host>', z.optional(hostName), 'name of the router, for CNAME records of routes', {
    variable: 'ROUTER_CANONICAL_HOSTNAME',
  }),
  publishService: flag(
    '<namespace/name>',
    z.optional(place),
    'Service of the router; its addresses are written into the statuses of the Ingresses it serves',
  ),
  publishAddress: flag(
    '<addresses>',
    z._default(listOf(reachable), []),
    'addresses or host names to write instead of those of a Service',
  ),
};

/** Problems of these settings in combination. */
export function publishProblems({
  publishService,
  publishAddress,
}: Pick<StatusSettings, 'publishService' | 'publishAddress'>): readonly string[] {
  const [both, many] = [
    publishService !== undefined && publishAddress.length > 0,
    publishAddress.length > MAX_ADDRESSES,
  ];
  return [
    ...(both ? ['Cannot use --publish-service together with --publish-address: expected one of them'] : []),
    ...(many
      ? [
          `Cannot use --publish-address: it has ${publishAddress.length} addresses, expected at most ${MAX_ADDRESSES}`,
        ]
      : []),
  ];
}

/** The settings of the configuration, without those of the running router. */
export const routerFlags = {
  ...listenerFlags,
  ...requestFlags,
  ...tlsFlags,
  ...admissionFlags,
  ...shardFlags,
  // Admission reads this router's entries in the status of Routes.
  serviceName: statusFlags.serviceName,
  statsSocket: haproxyFlags.statsSocket,
};

export type RouterSettings = SettingsFrom<typeof routerFlags>;
export type StatusSettings = SettingsFrom<typeof statusFlags>;
type SettingKey = keyof typeof routerFlags;

/** The flag and the variable of a setting: `--ciphers (ROUTER_CIPHERS)`. */
export function settingName(key: SettingKey): string {
  const { variable = variableName(key) }: { readonly variable?: string } = routerFlags[key];
  return `${flagName(key)} (${variable})`;
}

/** `spec.host=a.example.com,metadata.name!=b`: commas mean AND, and `\` escapes `,`, `=` and itself. Undefined if the text is invalid. */
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
