import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, createServer, type Server, type TlsOptions } from 'node:tls';
import { ConfigError, messageOf } from '../system/errors.ts';
import { readRegularFile } from '../system/file/read-regular-file.ts';
import type { Log } from '../system/log.ts';
import { sleep } from '../system/time/sleep.ts';
import { IDLE_TIMEOUT_MS, type OpenServer } from './http-endpoint.ts';

export interface PageTlsSettings {
  readonly metricsTlsCertFile?: string | undefined;
  readonly metricsTlsKeyFile?: string | undefined;
  readonly metricsTlsMinVersion: 'TLSv1.0' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  readonly metricsTlsCiphers?: string | undefined;
  readonly metricsTlsCurves?: string | undefined;
}

/** TLS for a page, with certificate files that can change. */
export interface PageTls {
  readonly openServer: OpenServer;
  /**
   * Rereads the files until `signal` aborts and uses their content for new connections. An invalid pair is logged once, and the last valid pair
   * stays in use. Never rejects.
   */
  readonly follow: (log: Log, signal: AbortSignal, readEveryMs?: number) => Promise<void>;
}

interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** Fifty times the size of a certificate chain. */
const MAX_CREDENTIAL_BYTES = 256 * 1024;
/** Certificates live for months, and two small files are read in a millisecond. */
const READ_EVERY_MS = 5_000;

/** Reads the certificate. Resolves with undefined if none is set: the page then uses plain HTTP. Rejects with a ConfigError for an invalid certificate. */
export async function openPageTls(settings: PageTlsSettings): Promise<PageTls | undefined> {
  const { metricsTlsCertFile: certFile, metricsTlsKeyFile: keyFile } = settings;
  if (certFile === undefined || keyFile === undefined) return undefined;
  const rules = rulesOf(settings);
  checkRules(settings, rules);
  const read = () => readIdentity(certFile, keyFile);
  let good = await read().catch((error: unknown) => {
    throw new ConfigError([messageOf(error)], { cause: error });
  });
  const servers = new Set<Server>();
  const use = (next: Identity): void => {
    good = next;
    for (const server of servers) server.setSecureContext({ ...rules, ...next });
  };
  return {
    openServer: (onSocket) => {
      const server = createServer({ ...rules, ...good, handshakeTimeout: IDLE_TIMEOUT_MS }, onSocket);
      // Plain HTTP, or a client that trusts another CA: the client reports it.
      server.on('tlsClientError', (_error, socket) => socket.destroy());
      servers.add(server.once('close', () => servers.delete(server)));
      return server;
    },
    follow: async (log, signal, readEveryMs = READ_EVERY_MS) => {
      let reported: string | undefined;
      let before: string | undefined;
      const judge = (found: Identity | string): void => {
        const trouble = typeof found === 'string' ? found : undefined;
        const isLasting = trouble === before;
        before = trouble;
        if (typeof found !== 'string') {
          const isNew = found.cert !== good.cert || found.key !== good.key;
          if (isNew) use(found);
          const event = isNew ? 'page-certificate-loaded' : 'page-certificate-usable';
          if (isNew || reported !== undefined) log({ event, validTo: validToOf(found) });
          reported = undefined;
        } else if (isLasting && trouble !== reported) {
          // The two files are not renewed atomically, so a problem must persist for two reads.
          log({
            event: 'page-certificate-unusable',
            level: 'error',
            message: found,
            inUseUntil: validToOf(good),
          });
          reported = trouble;
        }
      };
      while (!signal.aborted) {
        await sleep(readEveryMs, signal);
        const found = await read().catch(messageOf);
        if (!signal.aborted) judge(found);
      }
    },
  };
}

function rulesOf({ metricsTlsMinVersion, metricsTlsCiphers, metricsTlsCurves }: PageTlsSettings): TlsOptions {
  return {
    // OpenSSL's name for TLS 1.0 is "TLSv1".
    minVersion: metricsTlsMinVersion === 'TLSv1.0' ? 'TLSv1' : metricsTlsMinVersion,
    ...(metricsTlsCiphers !== undefined && { ciphers: metricsTlsCiphers.replaceAll(',', ':') }),
    ...(metricsTlsCurves !== undefined && { ecdhCurve: metricsTlsCurves.replaceAll(',', ':') }),
  };
}

function checkRules({ metricsTlsCiphers, metricsTlsCurves }: PageTlsSettings, rules: TlsOptions): void {
  const problems = [
    { name: '--metrics-tls-ciphers', value: metricsTlsCiphers, part: { ciphers: rules.ciphers } },
    { name: '--metrics-tls-curves', value: metricsTlsCurves, part: { ecdhCurve: rules.ecdhCurve } },
  ].flatMap(({ name, value, part }) => {
    try {
      if (value !== undefined) createSecureContext(part);
      return [];
    } catch (error) {
      return [`Cannot use ${name} "${value}": ${messageOf(error)}, expected names that OpenSSL supports`];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Validates the certificate and the key, and that they match. Rejects with a message that names the invalid file. */
async function readIdentity(certFile: string, keyFile: string): Promise<Identity> {
  const cert = await readText(certFile);
  const key = await readText(keyFile);
  const leaf = parsed(certFile, 'a certificate in PEM', () => new X509Certificate(cert));
  const privateKey = parsed(keyFile, 'an unencrypted private key in PEM', () => createPrivateKey(key));
  if (!leaf.checkPrivateKey(privateKey))
    throw unusable(keyFile, `it is not the key of "${certFile}"`, 'that');
  // OpenSSL has further rules, such as for keys that are too short, and reads the rest of the chain.
  parsed(certFile, 'what TLS accepts', () => createSecureContext({ cert, key }));
  return { cert, key };
}

async function readText(path: string): Promise<string> {
  try {
    return (await readRegularFile(path, { MAX_CREDENTIAL_BYTES })).bytes.toString('utf8');
  } catch (error) {
    throw unusable(path, messageOf(error), 'a PEM file that this process can read');
  }
}

function parsed<T>(path: string, expected: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw unusable(path, messageOf(error), expected);
  }
}

function unusable(path: string, found: string, expected: string): Error {
  return new Error(`Cannot serve the page over TLS with "${path}": ${found}, expected ${expected}`);
}

function validToOf({ cert }: Identity): string {
  return new X509Certificate(cert).validToDate.toISOString();
}
