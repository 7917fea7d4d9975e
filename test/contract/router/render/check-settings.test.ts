import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import { checkSettings, settingsCheck } from '../../../../src/router/render/check-settings.ts';
import { openTrialFolder } from '../../../../src/router/render/write-out.ts';
import { routerSettings, routerTemplate } from '../../../helpers/router/router-settings.ts';

/** The problems that the real HAProxy, or another program, reports for an environment. */
async function problemsOf(env: Readonly<Record<string, string>>, haproxy = '/usr/sbin/haproxy') {
  try {
    await checkSettings(routerSettings(env), settingsCheck(haproxy));
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

test.each([
  [{ ROUTER_CIPHERS: 'FOO' }, "unable to set SSL cipher list to 'FOO'"],
  [{ ROUTER_CURVES: 'nope' }, "unable to set SSL curves list to 'nope'"],
  [{ ROUTER_SYSLOG_ADDRESS: '127.0.0.1:514', ROUTER_SYSLOG_FORMAT: '%foo' }, 'log-format : no such'],
  [{ ROUTER_MUTUAL_TLS_AUTH: 'optional', ROUTER_MUTUAL_TLS_AUTH_FILTER: '(' }, 'missing closing parenthesis'],
  [{ ROUTER_UNIQUE_ID_FORMAT: '%foo' }, 'unique-id : no such'],
])("the startup error for %j includes HAProxy's message", async (env, words) => {
  const [problem, ...others] = await problemsOf(env);
  expect(problem).toMatch(/^Cannot use these settings: HAProxy refuses the configuration: /);
  expect(problem).toContain(words);
  // HAProxy's last line, which carries no information.
  expect(problem).not.toContain('found in configuration');
  expect(others).toEqual([]);
});

test('settings that HAProxy accepts are valid', async () => {
  const env = { ROUTER_CIPHERS: 'modern', ROUTER_SYSLOG_ADDRESS: '127.0.0.1:514' };
  expect(await problemsOf({ ...env, ROUTER_UNIQUE_ID_HEADER_NAME: 'X-Id' })).toEqual([]);
});

test('settings are not refused if HAProxy cannot be run', async () => {
  expect(await problemsOf({ ROUTER_CIPHERS: 'FOO' }, '/missing/haproxy')).toEqual([]);
});

test('a custom template that HAProxy refuses is not an error at startup', async () => {
  await using folder = await openTrialFolder();
  const path = join(folder.path, 'own.ejs');
  writeFileSync(path, routerTemplate.text.replace('\nglobal\n', '$&  wrong words\n'));
  expect(await problemsOf({ TEMPLATE_FILE: path })).toEqual([]);
});
