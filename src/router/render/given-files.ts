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

/** CRLs are the largest. */
const MAX_GIVEN_FILE_BYTES = 32 * 1024 * 1024;

/** A file of the administrator's: the configuration has what stands in it as a file of its own, so that another content is another set. */
interface GivenFile {
  readonly setting: GivenSetting;
  readonly path: string;
  /** In the set. */
  readonly name: string;
  readonly problemOf: (content: Buffer) => string | undefined;
}

type GivenSetting = 'mutualTlsCa' | 'mutualTlsCrl' | 'defaultDestinationCa' | 'errorFile503' | 'errorFile404';

/** Those that the configuration names. */
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
 * Returns the content as a file of the set, or the previous file if nothing has changed. Throws a ConfigError for a file that HAProxy could not
 * use.
 */
export async function readGivenFile(file: GivenFile, before?: SetFile): Promise<SetFile> {
  const content = await contentOf(file);
  if (before !== undefined && content.equals(bytesOf(before))) return before;
  const problem = file.problemOf(content);
  if (problem !== undefined) throw unusable(file, problem);
  return { name: file.name, content };
}

/** All current files. Throws a ConfigError with the problems of all. */
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

/** HAProxy keeps an answer in one buffer, with some bytes for each line of its head. */
const OVERHEAD_BYTES = 1_024;

const head =
  /^HTTP\/1\.[01] [1-5]\d\d(?: [^\r\n]*)?\r?\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r?\n)*)\r?\n/;

/** Why HAProxy would refuse it as an `errorfile`. Undefined if it is a complete HTTP/1 response. */
export function errorAnswerProblem(content: Buffer, bufferSize: number): string | undefined {
  const text = content.toString('latin1');
  const [all, headers = ''] = head.exec(text) ?? [];
  if (all === undefined)
    return 'it is not an HTTP answer, expected "HTTP/1.0 503 …", headers, an empty line, and the page';
  if (/^transfer-encoding:/im.test(headers)) return 'it has Transfer-Encoding, expected none';
  const [, length] = /^content-length:[ \t]*([^\r\n]*?)[ \t]*\r?$/im.exec(headers) ?? [];
  const body = content.length - all.length;
  if (length !== undefined && length !== `${body}`)
    return `it has Content-Length: ${length} and a page of ${body} bytes, expected both to be the same`;
  const most = bufferSize - OVERHEAD_BYTES;
  return content.length > most
    ? `it has ${content.length} bytes, expected at most ${most} with ROUTER_BUF_SIZE ${bufferSize}`
    : undefined;
}

const block = /-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;
const begin = /-----BEGIN /g;

/** Why the content is not a PEM list of authorities' certificates, of any length; undefined if it is. HAProxy loads weak ones too. */
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

/** A file that is still being written ends within a block. */
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

/** Whether OpenSSL, and so HAProxy, can read a block of PEM as a CRL. */
function isCrlPem(pem: string): boolean {
  try {
    createSecureContext({ crl: pem });
    return true;
  } catch {
    return false;
  }
}
