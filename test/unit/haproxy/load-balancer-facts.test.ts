import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { renderLoadBalancer } from '../../../src/api-lb/render-load-balancer.ts';
import { loadBalancerFacts } from '../../../src/haproxy/load-balancer-facts.ts';
import { defaultLoadBalancerSettings } from '../../helpers/load-balancer-settings.ts';

test('listeners by their proxies, and servers; comments are none', () => {
  const text = `frontend a
  bind :::9445 v4v6 # bind :1
  bind 10.0.0.1:80,10.0.0.2:80
# bind :2
listen b
\tbind 127.0.0.1:1
backend c
  server cp-1 10.0.0.1:6443 check
  default-server check
`;
  expect(loadBalancerFacts(text)).toEqual({
    listeners: [
      { proxy: 'frontend a', address: ':::9445' },
      { proxy: 'frontend a', address: '10.0.0.1:80' },
      { proxy: 'frontend a', address: '10.0.0.2:80' },
      { proxy: 'listen b', address: '127.0.0.1:1' },
    ],
    servers: ['cp-1 10.0.0.1:6443'],
  });
});

test('what the shipped template prints', () => {
  const path = fileURLToPath(new URL('../../../templates/haproxy.cfg.ejs', import.meta.url));
  const servers = [{ name: 'cp-1', address: 'fd00::1', port: 6443 }];
  const rendered = renderLoadBalancer(readFileSync(path, 'utf8'), defaultLoadBalancerSettings, servers, {
    templatePath: path,
  });
  if (rendered.kind === 'failed') throw new Error(rendered.message);
  expect(loadBalancerFacts(rendered.text)).toEqual({
    listeners: [
      { proxy: 'frontend main', address: ':::9445' },
      { proxy: 'frontend health_check_http_url', address: ':::9444' },
      { proxy: 'listen stats', address: '127.0.0.1:29445' },
    ],
    servers: ['cp-1 [fd00::1]:6443'],
  });
});
