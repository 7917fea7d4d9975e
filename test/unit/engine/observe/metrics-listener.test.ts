import { expect, test } from 'vitest';
import { metricsListenProblems } from '../../../../src/engine/observe/metrics-listener.ts';

const at = (host: string) => ({ metricsListen: { host, port: 29_450 } });

test.each(['127.0.0.1', '127.0.0.2', '::1'])('loopback %s needs no credential', (host) => {
  expect(metricsListenProblems(at(host))).toEqual([]);
});

test.each(['0.0.0.0', '::', '10.0.0.1', '::ffff:127.0.0.1'])(
  'other machines reach %s, so it needs a token or TLS',
  (host) => {
    expect(metricsListenProblems(at(host))[0]).toMatch(
      /^Cannot use --metrics-listen "\S+:29450": other machines .* expected --metrics-token-file, or/,
    );
    expect(metricsListenProblems({ ...at(host), metricsTokenFile: '/t' })).toEqual([]);
    const tls = { metricsTlsCertFile: '/c', metricsTlsKeyFile: '/k' };
    expect(metricsListenProblems({ ...at(host), ...tls })).toEqual([]);
  },
);

test('a certificate without a key, or the reverse, is refused, even if nothing listens', () => {
  expect(metricsListenProblems({ metricsTlsCertFile: '/c' })).toEqual([
    'Cannot use --metrics-tls-cert-file: --metrics-tls-key-file is missing, expected both',
  ]);
  expect(metricsListenProblems({ ...at('0.0.0.0'), metricsTlsKeyFile: '/k' })).toEqual([
    'Cannot use --metrics-tls-key-file: --metrics-tls-cert-file is missing, expected both',
  ]);
});
