import { expect, it } from 'vitest';
import { podProxyDifference } from '../../../src/pod-proxy/configuration-set.ts';

const configuration = (...addresses: readonly string[]) => ({
  mode: 0o644,
  text: `backend web\n${addresses.map((each, index) => `  server web-${index + 1} ${each}:80 check\n`).join('')}`,
});
const withCertificate = (content: string) => ({
  mode: 0o644,
  text: 'frontend web\n  bind :443 ssl crt @SET_FOLDER@/certs/web.pem\n',
  others: [{ name: 'certs/web.pem', content, secret: true }],
});
const mayFinish = { options: 'check' };

it('a new server is a runtime update', () => {
  expect(podProxyDifference(configuration('10.0.0.1'), configuration('10.0.0.1', '10.0.0.2'))).toMatchObject({
    reload: [],
    changes: [{ server: 'web/web-2', wanted: { address: '10.0.0.2' } }],
  });
});

it('connections to removed and moved servers may finish', () => {
  expect(podProxyDifference(configuration('10.0.0.1', '10.0.0.2'), configuration('10.0.0.2'))).toMatchObject({
    reload: [],
    changes: [
      { server: 'web/web-1', wanted: { address: '10.0.0.2' }, mayFinish },
      { server: 'web/web-2', wanted: null, mayFinish },
    ],
  });
});

it('HAProxy is reloaded for anything else', () => {
  const before = configuration('10.0.0.1');
  expect(
    podProxyDifference(before, { ...before, text: `${before.text}  balance leastconn\n` }),
  ).toMatchObject({
    reload: [{ what: 'section-changed' }],
  });
});

it('a renewed certificate is a runtime update', () => {
  expect(podProxyDifference(withCertificate('one'), withCertificate('two'))).toMatchObject({
    reload: [],
    changes: [{ kind: 'certificate', certificate: 'certs/web.pem' }],
  });
});
