import { type Finding, fail, ok, skip, warn } from '../../engine/examine/check.ts';
import { countText } from '../../engine/system/text/readable-text.ts';
import type { RouterStatus } from '../serve/router-status.ts';

const DAY_MS = 86_400_000;

export function judgeReady(status: RouterStatus): Finding {
  const { synced, unready, routes } = status;
  if (!synced)
    return fail(
      'it has not listed every kind of object yet, so nothing is served',
      'look at checks router-rbac and route-crd; kubectl logs POD -c router says what the API answers',
    );
  if (unready !== null) return fail(`it is not ready: ${unready}`, 'look at check router-haproxy');
  return ok(`it serves ${countText(routes?.admitted ?? 0, 'route')}`);
}

export function judgeLeftOut({ routes }: RouterStatus): Finding {
  if (routes === null) return skip('it has decided about no route yet');
  const { ConfigurationRefused: refused = 0, Unprintable: unprintable = 0 } = routes.rejected;
  const count = refused + unprintable;
  const named = routes.leftOut.map(({ key, message }) => `${key}: ${message}`);
  if (count === 0) return ok('HAProxy and the template take every admitted route');
  return fail(
    `${countText(count, 'admitted route')} left out, among them ${named.slice(0, 3).join('; ')}`,
    "the Route's condition Admitted has the same words: its owner mends it; with a template of your own look there",
  );
}

export function judgeCertificates({ certificates }: RouterStatus): Finding {
  if (certificates === null) return skip('it has decided about no route yet');
  const { served, expired, expiring, first } = certificates;
  const named = first
    .slice(0, Math.min(3, expired + expiring))
    .map(({ route, host, validTo }) => `${route} (${host}) ${validTo.slice(0, 10)}`);
  const renew = `renew them, the first ones are ${named.join(', ')}; hawser status lists more`;
  if (expired > 0) return fail(`${countText(expired, 'certificate')} of routes expired`, renew);
  if (expiring > 0)
    return warn(`${countText(expiring, 'certificate')} of routes: the end is within 14 days`, renew);
  return ok(`${countText(served, 'certificate')} of routes, none ends within 14 days`);
}

export function judgeDefaultCertificate({ defaultCertificate }: RouterStatus, now: number): Finding {
  if (defaultCertificate === null) return skip('nothing was rendered yet');
  const { isGiven, validTo } = defaultCertificate;
  const days = Math.floor((Date.parse(validTo) - now) / DAY_MS);
  const renew = 'put a new one in its place: the router takes it over without a reload';
  if (!isGiven)
    return warn(
      'none is given: hosts without their own get a self-signed one, another one from each replica',
      'kubectl -n hawser-router create secret tls hawser-router-default-certificate --cert=tls.crt --key=tls.key',
    );
  if (days < 0) return fail(`it expired on ${validTo.slice(0, 10)}`, renew);
  if (days < 14) return warn(`it ends on ${validTo.slice(0, 10)}, in ${days} days`, renew);
  return ok(`given, valid until ${validTo.slice(0, 10)}`);
}
