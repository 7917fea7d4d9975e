import { dirname, join } from 'node:path';
import { SET_FOLDER } from '../../engine/config/set.ts';
import { MAX_MS } from '../settings/router-fields.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { cipherLists } from './cipher-lists.ts';
import {
  CERTIFICATE_LIST_FILE,
  CLIENT_CA_FILE,
  CLIENT_CRL_FILE,
  DEFAULT_CERTIFICATE_FILE,
  DEFAULT_CERTIFICATE_LIST_FILE,
  NOT_FOUND_FILE,
  SERVER_STATES_FILE,
  UNAVAILABLE_FILE,
} from './file-names.ts';
import { quoted } from './quoted.ts';
import { headerRule, type TemplateBackend } from './template-backend.ts';

/**
 * The variables of the template. Null means that an option is unset. Fields whose names end in `Quoted`, and the directives of backends, are
 * complete words of HAProxy's configuration: the template prints them with `<%-`.
 */
export type RouterTemplateModel = ReturnType<typeof commonModel> & {
  readonly backends: readonly TemplateBackend[];
};

/** A client with TLS takes two connections and one without takes one. The fourth is a reserve for connections that are still closing. */
const CONNECTIONS_PER_CLIENT = 4;

/** The variables that belong to no route. */
export function commonModel(settings: RouterSettings) {
  const { hardStopAfter } = settings;
  return {
    /** Placeholder for the folder with maps, lists and certificates. */
    setFolder: SET_FOLDER,
    /** State file in that folder, with the servers whose checks start off. */
    serverStates: SERVER_STATES_FILE,
    lookup: settings.lookup,
    allowWildcards: settings.allowWildcards,
    statsSocket: settings.statsSocket,
    limits: {
      /** Null lets HAProxy derive it from the limit on open files. */
      connections:
        settings.maxConnections === 'auto'
          ? null
          : {
              /** Maximum for clients with TLS, and the same for clients without it. */
              clients: settings.maxConnections,
              /** Maximum for the whole process. */
              process: settings.maxConnections * CONNECTIONS_PER_CLIENT,
            },
      threads: settings.threads ?? null,
      hardStopAfter: hardStopAfter === undefined ? null : `${hardStopAfter}ms`,
      bufferSize: settings.bufferSize,
      rewriteSize: settings.rewriteSize,
    },
    timeouts: timeoutsOf(settings),
    listeners: {
      addresses: addressesOf(settings.ipMode),
      httpPort: settings.httpPort,
      httpsPort: settings.httpsPort,
      acceptProxy: settings.proxyProtocol,
    },
    tls: tlsOf(settings),
    log: logOf(settings),
    capture: captureOf(settings),
    uniqueId: uniqueIdOf(settings),
    /** Options of all proxies, and options of HTTP proxies only. */
    options: optionsOf(settings),
    compressionTypes: settings.compression ? settings.compressionTypes : null,
    errorFiles: {
      unavailable: UNAVAILABLE_FILE,
      notFound: settings.errorFile404 === undefined ? null : NOT_FOUND_FILE,
    },
    adjustCase: (settings.adjustCase ?? []).map((name) => ({
      from: name.toLowerCase(),
      toQuoted: quoted(name),
    })),
    /** Complete rules for the requests and responses of every route. */
    headerRules: [
      ...(settings.requestHeaders ?? []).map((action) => headerRule('http-request', action)),
      ...(settings.responseHeaders ?? []).map((action) => headerRule('http-response', action)),
    ],
  };
}

function timeoutsOf(settings: RouterSettings) {
  return {
    connect: `${settings.connectTimeout}ms`,
    client: `${settings.clientTimeout}ms`,
    clientFin: `${settings.clientFinTimeout}ms`,
    server: `${settings.serverTimeout}ms`,
    serverFin: `${settings.serverFinTimeout}ms`,
    tunnel: `${settings.tunnelTimeout}ms`,
    request: `${settings.requestTimeout}ms`,
    keepAlive: `${settings.keepAliveTimeout}ms`,
    inspect: `${settings.inspectDelay}ms`,
    longest: `${MAX_MS}ms`,
  };
}

function addressesOf(mode: RouterSettings['ipMode']) {
  const [v4, v6] = [
    { any: '0.0.0.0', isIpv6: false },
    { any: '[::]', isIpv6: true },
  ];
  return { v4: [v4], v6: [v6], v4v6: [v4, v6] }[mode];
}

function tlsOf(settings: RouterSettings) {
  const folder = dirname(settings.statsSocket);
  return {
    ciphers: cipherLists.get(settings.ciphers) ?? settings.ciphers,
    ciphersuites: settings.ciphersuites ?? null,
    curves: settings.curves ?? null,
    minVersion: settings.tlsMinVersion,
    maxVersion: settings.tlsMaxVersion ?? null,
    strictSni: settings.strictSni,
    defaultCertificate: DEFAULT_CERTIFICATE_FILE,
    /** Contains the default certificate, for names without their own. */
    defaultCertificateList: DEFAULT_CERTIFICATE_LIST_FILE,
    certificateList: CERTIFICATE_LIST_FILE,
    /** These terminate connections with a server name (SNI), and those without one. */
    frontends: [
      { name: 'fe_sni', socket: join(folder, 'router-sni.sock'), hasNames: true },
      { name: 'fe_no_sni', socket: join(folder, 'router-no-sni.sock'), hasNames: false },
    ],
    mutual: mutualOf(settings),
  };
}

function mutualOf(settings: RouterSettings) {
  if (settings.mutualTls === 'none') return null;
  const filter = settings.mutualTlsFilter;
  return {
    verify: settings.mutualTls,
    ca: CLIENT_CA_FILE,
    crl: settings.mutualTlsCrl === undefined ? null : CLIENT_CRL_FILE,
    filterQuoted: filter === undefined ? null : quoted(filter),
  };
}

function logOf(settings: RouterSettings) {
  if (settings.syslogAddress === undefined) return null;
  return {
    address: settings.syslogAddress,
    maxLength: settings.syslogMaxLength,
    facility: settings.syslogFacility,
    level: settings.syslogLevel,
    formatQuoted: settings.syslogFormat === undefined ? null : quoted(withoutQuotes(settings.syslogFormat)),
  };
}

/** Manifests of the OpenShift router include the quotes that its template required. */
function withoutQuotes(format: string): string {
  return /^(["'])(.*)\1$/.exec(format.trim())?.[2] ?? format;
}

function captureOf(settings: RouterSettings) {
  const capture = (list: RouterSettings['captureRequestHeaders']) =>
    (list ?? []).map(({ name, length }) => ({ nameQuoted: quoted(name), length }));
  return {
    request: capture(settings.captureRequestHeaders),
    response: capture(settings.captureResponseHeaders),
    cookie: settings.captureCookie ?? null,
  };
}

function uniqueIdOf({ uniqueIdFormat, uniqueIdHeader }: RouterSettings) {
  if (uniqueIdFormat === undefined && uniqueIdHeader === undefined) return null;
  const format = uniqueIdFormat ?? DEFAULT_ID_FORMAT;
  return { formatQuoted: quoted(withoutQuotes(format)), header: uniqueIdHeader ?? null };
}

/** OpenShift's default if an administrator configures only the header. */
const DEFAULT_ID_FORMAT = '%{+X}o %ci:%cp_%fi:%fp_%Ts_%rt:%pid';

function optionsOf(settings: RouterSettings) {
  return {
    all: [
      ...(settings.dontLogNull ? ['dontlognull'] : []),
      ...(settings.continuousStatistics ? ['contstats'] : []),
    ],
    http: [
      ...(settings.ignoreProbes ? ['http-ignore-probes'] : []),
      ...(settings.abortOnClose ? ['abortonclose'] : []),
      ...(settings.idleCloseOnResponse ? ['idle-close-on-response'] : []),
      ...(settings.adjustCase === undefined ? [] : ['h1-case-adjust-bogus-client']),
    ],
  };
}
