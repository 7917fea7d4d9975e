import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import { checkSettings, settingsCheck } from '../../../../src/router/configuration/check-settings.ts';
import { openTrialFolder } from '../../../../src/router/configuration/trial-folder.ts';
import { routerSettings, routerTemplate } from '../../../helpers/router/router-settings.ts';

/** The problems that the real HAProxy, or another program, has with an environment. */
async function problemsOf(env: Readonly<Record<string, string>>, haproxy = '/usr/sbin/haproxy') {
  try {
    await checkSettings(routerSettings(env), settingsCheck(haproxy));
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

const named = (flag: string, words: string) => [
  expect.stringMatching(new RegExp(`^Cannot use --${flag}\\): HAProxy refuses it: .*${words}`)),
];
test.each([
  [{ ROUTER_CIPHERS: 'FOO' }, named('ciphers \\(ROUTER_CIPHERS', 'FOO')],
  [{ ROUTER_CURVES: 'nope' }, named('curves \\(ROUTER_CURVES', 'nope')],
  [
    { ROUTER_SYSLOG_ADDRESS: '127.0.0.1:514', ROUTER_SYSLOG_FORMAT: '%foo' },
    named('syslog-format \\(ROUTER_SYSLOG_FORMAT', "variable 'foo'"),
  ],
  [
    { ROUTER_MUTUAL_TLS_AUTH: 'optional', ROUTER_MUTUAL_TLS_AUTH_FILTER: '(' },
    named('mutual-tls-filter \\(ROUTER_MUTUAL_TLS_AUTH_FILTER', 'parenthesis'),
  ],
  [
    { ROUTER_UNIQUE_ID_FORMAT: '%foo', ROUTER_CIPHERS: 'FOO' },
    [
      ...named('ciphers \\(ROUTER_CIPHERS', 'FOO'),
      ...named('unique-id-format \\(ROUTER_UNIQUE_ID_FORMAT', "variable 'foo'"),
    ],
  ],
  [
    {
      ROUTER_CIPHERS: 'modern',
      ROUTER_SYSLOG_ADDRESS: '127.0.0.1:514',
      ROUTER_UNIQUE_ID_HEADER_NAME: 'X-Id',
    },
    [],
  ],
])('of %j, HAProxy says which setting is wrong', async (env, problems) => {
  expect(await problemsOf(env)).toEqual(problems);
});

test('a HAProxy that cannot be run says nothing about the settings', async () => {
  expect(await problemsOf({ ROUTER_CIPHERS: 'FOO' }, '/missing/haproxy')).toEqual([]);
});

test('a template of an own that HAProxy refuses is no wrong setting, and may be mended later', async () => {
  await using folder = await openTrialFolder();
  const path = join(folder.path, 'own.ejs');
  writeFileSync(path, routerTemplate.text.replace('\nglobal\n', '$&  wrong words\n'));
  expect(await problemsOf({ TEMPLATE_FILE: path })).toEqual([]);
});
