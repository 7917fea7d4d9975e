import { expect, test } from 'vitest';
import { decided, routeObject, verdicts } from '../objects-of.ts';

test.each(['localhost', 'a.localhost', '127.0.0.1', '10.77.0.11', 'a.1'])(
  "a Route that claims %s does not get the pages of the router's node (M1)",
  (host) => {
    const { admission } = decided([routeObject({ name: 'a', host })]);
    expect(admission.rejected).toMatchObject([
      {
        reason: 'InvalidHost',
        message: 'spec.host: expected a name that is neither an IP address nor localhost',
      },
    ]);
  },
);

test.each(['*.localhost', 'localhost', '10.77.0.11'])('an Ingress for %s is not admitted (M1)', (host) => {
  const ingress = {
    kind: 'Ingress',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      ingressClassName: 'hawser',
      rules: [
        { host, http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web' } } }] } },
      ],
    },
  };
  const decision = decided([ingress], { ingressClass: 'hawser', allowWildcards: true });
  expect(verdicts(decision).map((each) => each.split(' ')[1])).toEqual(['InvalidHost']);
});

test.each(['localhost.example.com', 'mylocalhost', '1.2.3.4.example.com', 'a1', '7up.test'])(
  'the host %s is an ordinary host',
  (host) => {
    expect(verdicts(decided([routeObject({ name: 'a', host })]))).toEqual(['shop:a admitted']);
  },
);
