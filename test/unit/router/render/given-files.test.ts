import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SetFile } from '../../../../src/engine/config/set.ts';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import {
  authorityProblem,
  errorAnswerProblem,
  givenFiles,
  readGivenFile,
  readGivenFiles,
  revocationProblem,
} from '../../../../src/router/render/given-files.ts';
import { keepLastGood } from '../../../../src/router/serve/live-files.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';

const folder = fileFolder();
const authority = createAuthority(join(folder, 'ca'));
const list = authority.revoke(authority.issue({ commonName: 'gone' }));
const at = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

test('a CA file is PEM with any number of complete certificates', () => {
  const problem = (text: string) => authorityProblem(Buffer.from(text));
  expect(problem(`# a comment\n${authority.cert.repeat(140)}`)).toBeUndefined();
  expect(problem('')).toContain('no certificate');
  expect(problem(list)).toContain('no certificate');
  expect(problem(authority.cert.slice(0, -40))).toContain('damaged');
  expect(problem(authority.cert.replace(/M/, 'N'))).toContain('cannot be parsed');
});

test('a CRL file is PEM with complete CRLs', () => {
  const problem = (text: string) => revocationProblem(Buffer.from(text));
  expect(problem(list.repeat(2))).toBeUndefined();
  expect(problem(authority.cert)).toContain('no X509 CRL');
  expect(problem(list.slice(0, -40))).toContain('damaged');
  expect(problem(list.replace(/\n(?!-)/, '\nAAAA'))).toContain('cannot be parsed');
});

test.each([
  ['HTTP/1.0 503 Service Unavailable\r\nConnection: close\r\n\r\n<p>', undefined],
  ['HTTP/1.1 503\nContent-Length: 3\n\n<p>', undefined],
  ['HTTP/1.1 503\nContent-Length: 4\n\n<p>', 'Content-Length: 4 and a body of 3 bytes'],
  ['HTTP/1.1 503\nTransfer-Encoding: chunked\n\n<p>', 'Transfer-Encoding'],
  ['HTTP/1.1 503\n<p>', 'not an HTTP response'],
  ['HTTP/2 503\n\n', 'not an HTTP response'],
  ['<p>Sorry.</p>', 'not an HTTP response'],
  ['', 'not an HTTP response'],
  [`HTTP/1.1 503\n\n${'x'.repeat(32_768)}`, 'ROUTER_BUF_SIZE 32768'],
])('an error page is accepted only if HAProxy can send it (%#)', (text, problem) => {
  const found = errorAnswerProblem(Buffer.from(text), 32_768);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

test('missing and invalid files are reported together, each with its setting', async () => {
  const settings = routerSettings({
    ROUTER_ERRORFILE_404: join(folder, 'no such file'),
    DEFAULT_DESTINATION_CA_PATH: at('empty.crt', ''),
    ROUTER_MUTUAL_TLS_AUTH_CA: '/not/asked/for',
  });
  const error: unknown = await readGivenFiles(settings).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  const problems = (error as ConfigError).problems.join('\n');
  expect(problems).toMatch(
    /--default-destination-ca \(DEFAULT_DESTINATION_CA_PATH\) ".*empty.crt": it has no/,
  );
  expect(problems).toMatch(/--error-file404 \(ROUTER_ERRORFILE_404\) ".*no such file": ENOENT/);
  expect(problems).not.toContain('/not/asked/for');
});

test('an invalid file does not replace the last good content, and is logged once', async () => {
  const path = at('clients.crl', list);
  const settings = routerSettings({
    ROUTER_MUTUAL_TLS_AUTH: 'required',
    ROUTER_MUTUAL_TLS_AUTH_CA: authority.certFile,
    ROUTER_MUTUAL_TLS_AUTH_CRL: path,
  });
  const file = givenFiles(settings).find(({ setting }) => setting === 'mutualTlsCrl');
  if (file === undefined) throw new Error('no list');
  const said: LogEvent[] = [];
  const names = { usable: 'usable', unusable: 'unusable' };
  const read = keepLastGood<SetFile>(
    (before) => readGivenFile(file, before),
    names,
    (line) => said.push(line),
  );
  const good = await read();
  expect(`${good.content}`).toBe(list);
  expect(await read()).toBe(good);
  rmSync(path);
  expect([await read(), await read()]).toEqual([good, good]);
  at('clients.crl', 'nonsense');
  expect(await read()).toBe(good);
  expect(said.map(({ event }) => event)).toEqual(['unusable', 'unusable']);
  at('clients.crl', list.repeat(2));
  expect(`${(await read()).content}`).toBe(list.repeat(2));
  expect(said.at(-1)).toEqual({ event: 'usable' });
});
