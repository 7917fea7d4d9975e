import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import {
  checkGivenCertificate,
  describeDefaultCertificate,
  openDefaultCertificate,
} from '../../../../src/router/serve/live-files.ts';
import { routerCommand } from '../../../../src/router/settings/router-command.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const settings = (env: Readonly<Record<string, string>>) =>
  settingsTyped(routerCommand, [], { KUBERNETES_SERVICE_HOST: '10.0.0.1', ...env }, () => undefined);

test.each([
  [{ DEFAULT_CERTIFICATE: 'no PEM' }, 'Cannot use --default-certificate: '],
  [{ DEFAULT_CERTIFICATE_PATH: '/missing/tls.pem' }, 'Cannot use the default certificate: '],
  [{ DEFAULT_CERTIFICATE_DIR: '/missing' }, 'Cannot use the default certificate: '],
])('%j is an error in the settings, found before anything is served', async (env, message) => {
  const error: unknown = await checkGivenCertificate(settings(env)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as ConfigError).problems[0]).toContain(message);
});

test('a missing optional Secret is used once it exists', async () => {
  const folder = testFolder();
  const given = settings({ DEFAULT_CERTIFICATE_DIR: folder });
  await checkGivenCertificate(given);
  const current = openDefaultCertificate(given, () => undefined);
  const made = await current();
  expect(await current()).toBe(made);
  expect(describeDefaultCertificate(given, made)).toMatchObject({ isGiven: false });
  const secret = createAuthority(join(folder, '..data')).issue({ commonName: 'router.test' });
  writeFileSync(join(folder, 'tls.key'), secret.key);
  writeFileSync(join(folder, 'tls.crt'), secret.cert);
  expect(await current()).toContain(secret.cert.trim());
  expect(describeDefaultCertificate(given, await current())).toMatchObject({ isGiven: true });
});

test('a certificate that hawser creates needs no check', async () => {
  await checkGivenCertificate(settings({}));
});
