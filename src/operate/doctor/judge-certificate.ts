import { type Finding, fail, moreRights, ok, unknown, warn } from '../../engine/examine/check.ts';
import type { CertificateReading } from '../../engine/kube/client-certificate.ts';

const LEAST_SHARE_LEFT = 0.1;

/** Remaining validity of a certificate; `renew` is the remedy. */
export function judgeCertificate(look: CertificateReading, now: Date, renew: string): Finding {
  if (look.kind === 'none') return ok('a token is used, no client certificate');
  if (look.kind === 'unreadable')
    return unknown(look.message, `${moreRights}; openssl x509 -noout -dates -in FILE`);
  const { subject, from, to } = look;
  if (now > to) return fail(`the certificate of ${subject} expired on ${dayOf(to)}`, renew);
  if (now < from)
    return fail(
      `the certificate of ${subject} is not valid before ${from.toISOString()}`,
      'compare the clock: date -u; then renew the certificate',
    );
  const days = Math.floor((to.getTime() - now.getTime()) / 86_400_000);
  const share = (to.getTime() - now.getTime()) / (to.getTime() - from.getTime());
  return share < LEAST_SHARE_LEFT
    ? warn(`the certificate of ${subject} expires on ${dayOf(to)}, in ${days} days`, renew)
    : ok(`${subject}, valid until ${dayOf(to)}`);
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
