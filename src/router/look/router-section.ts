import { type Fact, type Section, type StatusLabel, statusLabel } from '../../engine/examine/section.ts';
import { ageText, countText } from '../../engine/system/text/readable-text.ts';
import { EXPIRES_SOON_MS } from '../decide/expiry.ts';
import type { RouterStatus } from '../serve/router-status.ts';
import type { RouterNode } from './router-node.ts';
import { certificatesTable, changesTable, leftOutTable, refusedTable } from './tables.ts';

/** Routes, certificates and reloads: their counts, and the first ones with problems. */
export function routerSection({ node, at, router }: RouterNode): Section {
  const now = Date.parse(at);
  return {
    ...{ id: 'router', title: `Router on ${node}`, place: 'left' },
    parts: [
      {
        summary: summaryOf(router),
        tables: router
          ? [leftOutTable(router), certificatesTable(router, now), refusedTable(router), changesTable(router)]
          : [],
        facts: router ? [...routeFacts(router), ...certificateFacts(router, now), changesFact(router)] : [],
      },
    ],
  };
}

function summaryOf(router: RouterNode['router']): StatusLabel {
  if (!router) return statusLabel('unknown', 'it does not answer');
  const { synced, unready, routes } = router;
  if (!synced || routes === null) return statusLabel('busy', 'reads the objects of the API');
  if (unready !== null) return statusLabel('bad', `not ready: ${unready}`);
  const served = `serves ${countText(routes.admitted, 'route')}`;
  return routes.leftOut.length > 0
    ? statusLabel('warn', `${served}, and not all`)
    : statusLabel('good', served);
}

function routeFacts({ routes }: RouterStatus): readonly Fact[] {
  if (routes === null) return [];
  const { admitted, hosts, rejected, ignoring } = routes;
  const [first] = ignoring.first;
  const reasons = Object.entries(rejected).toSorted(([, a], [, b]) => b - a);
  const count = reasons.reduce((sum, [, each]) => sum + each, 0);
  const words = reasons.map(([reason, each]) => `${each} ${reason}`).join(', ');
  return [
    { name: 'Routes', text: `${admitted} served, for ${countText(hosts, 'host')}` },
    ...(count === 0 ? [] : [{ name: 'Not served', text: `${countText(count, 'route')}: ${words}` }]),
    ...(first === undefined
      ? []
      : [
          {
            name: 'Ignored',
            text: `something that ${countText(ignoring.routes, 'route')} asked for, the first one ${first.key}: ${first.remark}`,
          },
        ]),
  ];
}

function certificateFacts({ certificates, defaultCertificate }: RouterStatus, now: number): readonly Fact[] {
  const [first] = certificates?.first ?? [];
  const facts: Fact[] = [];
  if (certificates !== null && first !== undefined)
    facts.push({
      name: 'Certificates',
      text: `${certificates.served} of routes, the first one until ${dayOf(first.validTo)} (${first.route})`,
    });
  if (defaultCertificate !== null) {
    const { isGiven, validTo } = defaultCertificate;
    const text = `${isGiven ? 'given' : 'self-signed, differs between replicas'}, until ${dayOf(validTo)}`;
    facts.push({ name: 'Default', state: lifeOf(validTo, now), text });
  }
  return facts;
}

function lifeOf(validTo: string, now: number): StatusLabel {
  const leftMs = Date.parse(validTo) - now;
  if (leftMs < 0) return statusLabel('bad', 'expired');
  return leftMs < EXPIRES_SOON_MS
    ? statusLabel('warn', `ends in ${ageText(leftMs)}`)
    : statusLabel('good', 'valid');
}

function changesFact({ changes: { reloads, withoutReload, failed } }: RouterStatus): Fact {
  const text = `${countText(reloads, 'reload')}, ${countText(withoutReload, 'change')} without one, ${failed} failed`;
  return { name: 'Changes', text };
}

function dayOf(iso: string): string {
  return iso.slice(0, 10);
}
