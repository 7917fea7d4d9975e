import {
  type Fact,
  type Row,
  type Section,
  type StatusLabel,
  statusLabel,
  styled,
  type Table,
} from '../../engine/examine/section.ts';
import type { SeenNode } from '../../engine/examine/seen.ts';
import { ageText, countText, durationText } from '../../engine/system/text/readable-text.ts';
import { EXPIRES_SOON_MS } from '../decide/expiry.ts';
import type { RouterStatus } from '../serve/router-status.ts';

/** Counts of routes, certificates and reloads, and the first entries with problems. */
export function routerSection({ node, at, router }: RouterNode): Section {
  const now = Date.parse(at);
  return {
    id: 'router',
    title: `Router on ${node}`,
    place: 'left',
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
  if (!router) return statusLabel('unknown', 'does not answer');
  const { synced, unready, routes } = router;
  if (!synced || routes === null) return statusLabel('busy', 'reading objects from the API');
  if (unready !== null) return statusLabel('bad', `not ready: ${unready}`);
  const served = `serves ${countText(routes.admitted, 'route')}`;
  return routes.leftOut.length > 0
    ? statusLabel('warn', `${served}, others are left out`)
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
            text: `settings of ${countText(ignoring.routes, 'route')}, such as ${first.key}: ${first.remark}`,
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
      text: `${certificates.served} of routes, the first expires on ${dayOf(first.validTo)} (${first.route})`,
    });
  if (defaultCertificate !== null) {
    const { isGiven, validTo } = defaultCertificate;
    const text = `${isGiven ? 'configured' : 'self-signed, differs between replicas'}, until ${dayOf(validTo)}`;
    facts.push({ name: 'Default', state: lifeOf(validTo, now), text });
  }
  return facts;
}

function lifeOf(validTo: string, now: number): StatusLabel {
  const leftMs = Date.parse(validTo) - now;
  if (leftMs < 0) return statusLabel('bad', 'expired');
  return leftMs < EXPIRES_SOON_MS
    ? statusLabel('warn', `expires in ${ageText(leftMs)}`)
    : statusLabel('good', 'valid');
}

function changesFact({ changes: { reloads, withoutReload, failed } }: RouterStatus): Fact {
  const text = `${countText(reloads, 'reload')}, ${countText(withoutReload, 'change')} without one, ${failed} failed`;
  return { name: 'Changes', text };
}

function dayOf(iso: string): string {
  return iso.slice(0, 10);
}

const CHANGES_SHOWN = 5;

type Refusal = NonNullable<RouterStatus['routes']>['leftOut'][number];

/** Routes that passed admission but are refused by HAProxy or the template. */
function leftOutTable({ routes }: RouterStatus): Table {
  return refusals('Routes left out', statusLabel('bad', 'left out'), routes?.leftOut ?? []);
}

/** Routes that are not admitted, for example because another route has the host. */
function refusedTable({ routes }: RouterStatus): Table {
  const refused = routes?.refused ?? [];
  const table = refusals('Routes that are not admitted', statusLabel('idle', 'not admitted'), refused);
  const { ConfigurationRefused = 0, Unprintable = 0, ...others } = routes?.rejected ?? {};
  const all = Object.values(others).reduce((sum, each) => sum + each, 0);
  const isWhole = all === refused.length;
  return { ...table, folded: `${all} not admitted${isWhole ? '' : `, the first ${refused.length} of them`}` };
}

function refusals(label: string, state: StatusLabel, list: readonly Refusal[]): Table {
  return {
    label,
    lead: 'state',
    columns: { Route: 'name', State: 'how', Reason: 'check' },
    rows: list.map(({ key, reason, message }) => ({
      name: [key],
      cells: [[state], [reason, `: ${message}`]],
    })),
  };
}

/** Certificates that have expired or expire soon. */
function certificatesTable({ certificates }: RouterStatus, now: number): Table {
  const soon = (certificates?.first ?? []).filter(
    ({ validTo }) => Date.parse(validTo) < now + EXPIRES_SOON_MS,
  );
  return {
    label: 'Certificates',
    lead: 'state',
    columns: { Route: 'name', Certificate: 'how', 'Valid until': 'age' },
    rows: soon.map(({ route, host, validTo }) => ({
      name: [route],
      aside: [host],
      cells: [
        [Date.parse(validTo) < now ? statusLabel('bad', 'expired') : statusLabel('warn', 'expires soon')],
        [styled('unit', 'valid until '), validTo.slice(0, 10)],
      ],
    })),
  };
}

const RESULTS: Readonly<Record<RouterStatus['changes']['last'][number]['result'], StatusLabel>> = {
  reloaded: statusLabel('good', 'reloaded'),
  changed: statusLabel('good', 'changed'),
  rejected: statusLabel('bad', 'rejected'),
  unreachable: statusLabel('warn', 'unreachable'),
  failed: statusLabel('bad', 'failed'),
};

/** Newest first. */
function changesTable({ changes }: RouterStatus): Table {
  return {
    label: 'Last changes',
    lead: 'state',
    columns: { Cause: 'name', Result: 'how', Ago: 'age', Took: 'number', Reason: 'check' },
    rows: changes.last.slice(0, CHANGES_SHOWN).map(
      ({ cause, result, message, tookMs, agoMs }): Row => ({
        name: [cause],
        cells: [
          [RESULTS[result]],
          [ageText(agoMs), styled('unit', ' ago')],
          [styled('unit', 'took '), durationText(tookMs)],
          message === undefined ? [] : [message],
        ],
      }),
    ),
  };
}

/** A node's router: undefined if none runs, null if it does not answer. */
export interface RouterNode extends SeenNode {
  readonly router?: RouterStatus | null | undefined;
}
