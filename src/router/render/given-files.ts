import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { SetFile } from '../../engine/config/set.ts';
import { ConfigError, messageOf } from '../../engine/system/errors.ts';
import { readRegularFile } from '../../engine/system/file/read-regular-file.ts';
import { type RouterSettings, settingName } from '../settings/router-settings.ts';
import {
  CLIENT_CA_FILE,
  CLIENT_CRL_FILE,
  DESTINATION_CA_FILE,
  NOT_FOUND_FILE,
  UNAVAILABLE_FILE,
} from './file-names.ts';

/** CRLs are the largest of these files. */
const MAX_GIVEN_FILE_BYTES = 32 * 1024 * 1024;

/** A file that the administrator provides. Its content becomes a file of the set, so that new content makes a new set. */
interface GivenFile {
  readonly setting: GivenSetting;
  readonly path: string;
  /** File name in the set. */
  readonly name: string;
  readonly problemOf: (content: Buffer) => string | undefined;
}

type GivenSetting = 'mutualTlsCa' | 'mutualTlsCrl' | 'defaultDestinationCa' | 'errorFile503' | 'errorFile404';

/** The provided files that the configuration uses. */
export function givenFiles(settings: RouterSettings): readonly GivenFile[] {
  const isMutual = settings.mutualTls !== 'none';
  const answer = (content: Buffer) => errorAnswerProblem(content, settings.bufferSize);
  const of = (
    setting: GivenSetting,
    name: string,
    problemOf: GivenFile['problemOf'],
  ): readonly GivenFile[] => {
    const path = settings[setting];
    return path === undefined ? [] : [{ setting, path, name, problemOf }];
  };
  return [
    ...(isMutual ? of('mutualTlsCa', CLIENT_CA_FILE, authorityProblem) : []),
    ...(isMutual ? of('mutualTlsCrl', CLIENT_CRL_FILE, revocationProblem) : []),
    ...of('defaultDestinationCa', DESTINATION_CA_FILE, authorityProblem),
    ...of('errorFile503', UNAVAILABLE_FILE, answer),
    ...of('errorFile404', NOT_FOUND_FILE, answer),
  ];
}

/**
 * Reads a provided file as a file of the set. Returns `before` if the content is unchanged. Throws a ConfigError if HAProxy could not use the
 * content.
 */
export async function readGivenFile(file: GivenFile, before?: SetFile): Promise<SetFile> {
  const content = await contentOf(file);
  if (before !== undefined && content.equals(bytesOf(before))) return before;
  const problem = file.problemOf(content);
  if (problem !== undefined) throw unusable(file, problem);
  return { name: file.name, content };
}

/** Reads all provided files. Throws one ConfigError with every problem. */
export async function readGivenFiles(settings: RouterSettings): Promise<readonly SetFile[]> {
  const problems: string[] = [];
  const files: SetFile[] = [];
  for (const file of givenFiles(settings)) {
    try {
      files.push(await readGivenFile(file));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return files;
}

async function contentOf(file: GivenFile): Promise<Buffer> {
  try {
    return (await readRegularFile(file.path, { MAX_GIVEN_FILE_BYTES })).bytes;
  } catch (error) {
    throw unusable(file, messageOf(error));
  }
}

const bytesOf = ({ content }: SetFile): Buffer =>
  typeof content === 'string' ? Buffer.from(content) : content;

function unusable({ setting, path }: GivenFile, problem: string): ConfigError {
  return new ConfigError([`Cannot use ${settingName(setting)} "${path}": ${problem}`]);
}

/** HAProxy stores an error response in one buffer, with some overhead for each header line. */
const OVERHEAD_BYTES = 1_024;

const head =
  /^HTTP\/1\.[01] [1-5]\d\d(?: [^\r\n]*)?\r?\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r?\n)*)\r?\n/;

/** Why HAProxy would refuse the content as an `errorfile`; undefined if it is a complete HTTP/1 response. */
export function errorAnswerProblem(content: Buffer, bufferSize: number): string | undefined {
  const text = content.toString('latin1');
  const [all, headers = ''] = head.exec(text) ?? [];
  if (all === undefined)
    return 'it is not an HTTP response, expected "HTTP/1.0 503 …", headers, an empty line and a body';
  if (/^transfer-encoding:/im.test(headers)) return 'it has Transfer-Encoding, expected none';
  const [, length] = /^content-length:[ \t]*([^\r\n]*?)[ \t]*\r?$/im.exec(headers) ?? [];
  const body = content.length - all.length;
  if (length !== undefined && length !== `${body}`)
    return `it has Content-Length: ${length} and a body of ${body} bytes, expected them to match`;
  const most = bufferSize - OVERHEAD_BYTES;
  return content.length > most
    ? `it has ${content.length} bytes, expected at most ${most} with ROUTER_BUF_SIZE ${bufferSize}`
    : undefined;
}

const block = /-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;
const begin = /-----BEGIN /g;

/** Why the content is not a PEM list of CA certificates; undefined if it is. Weak certificates are valid here, since HAProxy loads them too. */
export function authorityProblem(content: Buffer): string | undefined {
  const blocks = blocksIn(content);
  if (typeof blocks === 'string') return blocks;
  const certificates = blocks.filter(({ label }) => /^(?:TRUSTED |X509 )?CERTIFICATE$/.test(label));
  if (certificates.length === 0) return 'it has no certificate, expected PEM';
  const plain = certificates.filter(({ label }) => label === 'CERTIFICATE');
  return plain.every(({ der }) => isCertificate(der)) ? undefined : 'a certificate cannot be parsed';
}

/** Why the content is not PEM with at least one CRL; undefined if it is. */
export function revocationProblem(content: Buffer): string | undefined {
  const blocks = blocksIn(content);
  if (typeof blocks === 'string') return blocks;
  const crls = blocks.filter(({ label }) => label === 'X509 CRL');
  if (crls.length === 0) return 'it has no X509 CRL, expected PEM';
  return crls.every(({ pem }) => isCrlPem(pem)) ? undefined : 'an X509 CRL cannot be parsed';
}

/** Returns an error for an incomplete last block, as in a file that is still being written. */
function blocksIn(content: Buffer) {
  const text = content.toString('latin1');
  const blocks = [...text.matchAll(block)].map(([pem, label = '', base64 = '']) => ({
    pem,
    label,
    der: Buffer.from(base64, 'base64'),
  }));
  return blocks.length === [...text.matchAll(begin)].length ? blocks : 'a PEM block is damaged';
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length === der.length;
  } catch {
    return false;
  }
}

/** Whether OpenSSL, and therefore HAProxy, can parse the PEM block as a CRL. */
function isCrlPem(pem: string): boolean {
  try {
    createSecureContext({ crl: pem });
    return true;
  } catch {
    return false;
  }
}
