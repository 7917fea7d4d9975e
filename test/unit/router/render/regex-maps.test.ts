import { expect, test } from 'vitest';
import { regexMapFiles } from '../../../../src/router/render/regex-maps.ts';
import { routeBackend } from '../../../helpers/router/route-sets.ts';

const routes = [
  routeBackend({ host: 'a.com', key: 'ns:root' }),
  routeBackend({ host: 'a.com', path: '/sub', kind: 'edge', insecure: 'Allow', key: 'ns:sub' }),
  routeBackend({ host: 'a.com', path: '/sub/', kind: 'edge', insecure: 'Redirect', key: 'ns:below' }),
  routeBackend({ host: 'a.com', path: '/x y+z', key: 'ns:odd' }),
  routeBackend({ host: 'z.com', wildcard: true, kind: 'edge', insecure: 'Allow', key: 'ns:wild' }),
  routeBackend({ host: 'p.com', kind: 'passthrough', insecure: 'Redirect', key: 'ns:tcp' }),
  routeBackend({ host: 'r.com', kind: 'reencrypt', key: 'ns:re' }),
];

test("the regex maps have the names, escaping and order of OpenShift's router", () => {
  const files = regexMapFiles(routes, { allowWildcards: true });
  expect(Object.fromEntries(files.map(({ name, content }) => [name, content]))).toEqual({
    'maps/os_http_be.map': [
      '^a\\.com\\.?(:[0-9]+)?/x\\x20y\\+z(/.*)?$ be_http:ns:odd',
      '^a\\.com\\.?(:[0-9]+)?/sub(/.*)?$ be_edge_http:ns:sub',
      '^a\\.com\\.?(:[0-9]+)?(/.*)?$ be_http:ns:root',
      '^[^\\.]*\\.z\\.com\\.?(:[0-9]+)?(/.*)?$ be_edge_http:ns:wild',
      '',
    ].join('\n'),
    'maps/os_edge_reencrypt_be.map': [
      '^r\\.com\\.?(:[0-9]+)?(/.*)?$ be_secure:ns:re',
      '^a\\.com\\.?(:[0-9]+)?/sub/(.*)?$ be_edge_http:ns:below',
      '^a\\.com\\.?(:[0-9]+)?/sub(/.*)?$ be_edge_http:ns:sub',
      '^[^\\.]*\\.z\\.com\\.?(:[0-9]+)?(/.*)?$ be_edge_http:ns:wild',
      '',
    ].join('\n'),
    'maps/os_route_http_redirect.map': [
      '^r\\.com\\.?(:[0-9]+)?(/.*)?$ 0',
      '^p\\.com\\.?(:[0-9]+)?(/.*)?$ 1',
      '^a\\.com\\.?(:[0-9]+)?/x\\x20y\\+z(/.*)?$ 0',
      '^a\\.com\\.?(:[0-9]+)?/sub/(.*)?$ 1',
      '^a\\.com\\.?(:[0-9]+)?/sub(/.*)?$ 0',
      '^a\\.com\\.?(:[0-9]+)?(/.*)?$ 0',
      '^[^\\.]*\\.z\\.com\\.?(:[0-9]+)?(/.*)?$ 0',
      '',
    ].join('\n'),
    'maps/os_tcp_be.map': [
      '^r\\.com\\.?(:[0-9]+)?(/.*)?$ be_secure:ns:re',
      '^p\\.com\\.?(:[0-9]+)?(/.*)?$ be_tcp:ns:tcp',
      '',
    ].join('\n'),
    'maps/os_sni_passthrough.map': '^p\\.com$ 1\n',
    'maps/os_wildcard_domain.map': '^[^\\.]*\\.z\\.com\\.?(:[0-9]+)?(/.*)?$ 1\n',
  });
});
