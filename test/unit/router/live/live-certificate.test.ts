import { expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import { checkGivenCertificate } from '../../../../src/router/live/live-certificate.ts';
import { routerCommand } from '../../../../src/router/settings/router-command.ts';

const settings = (env: Readonly<Record<string, string>>) =>
  settingsTyped(routerCommand, [], { KUBERNETES_SERVICE_HOST: '10.0.0.1', ...env }, () => undefined);

test.each([
  [{ DEFAULT_CERTIFICATE: 'no PEM' }, 'Cannot use --default-certificate: '],
  [{ DEFAULT_CERTIFICATE_PATH: '/missing/tls.pem' }, 'Cannot use the default certificate: '],
  [{ DEFAULT_CERTIFICATE_DIR: '/missing' }, 'Cannot use the default certificate: '],
])('%j is a mistake in the settings, found before anything is served', async (env, message) => {
  const error: unknown = await checkGivenCertificate(settings(env)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as ConfigError).problems[0]).toContain(message);
});

test('a certificate that hawser makes itself needs no check', async () => {
  await checkGivenCertificate(settings({}));
});
