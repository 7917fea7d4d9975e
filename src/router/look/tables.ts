import { type Row, type StatusLabel, statusLabel, styled, type Table } from '../../engine/examine/section.ts';
import { ageText, durationText } from '../../engine/system/text/readable-text.ts';
import { EXPIRES_SOON_MS } from '../decide/expiry.ts';
import type { RouterStatus } from '../serve/router-status.ts';

const CHANGES_SHOWN = 5;

type Refusal = NonNullable<RouterStatus['routes']>['leftOut'][number];

/** Routes that admission let in, and HAProxy or the template cannot take. */
export function leftOutTable({ routes }: RouterStatus): Table {
  return refusals('Routes left out', statusLabel('bad', 'left out'), routes?.leftOut ?? []);
}

/** Routes that are not admitted, such as those whose host is another one's. */
export function refusedTable({ routes }: RouterStatus): Table {
  const refused = routes?.refused ?? [];
  const table = refusals('Routes that are not admitted', statusLabel('idle', 'not admitted'), refused);
  const { ConfigurationRefused = 0, Unprintable = 0, ...others } = routes?.rejected ?? {};
  const all = Object.values(others).reduce((sum, each) => sum + each, 0);
  const isWhole = all === refused.length;
  return { ...table, folded: `${all} not admitted${isWhole ? '' : `, the first ${refused.length} of them`}` };
}

function refusals(label: string, state: StatusLabel, list: readonly Refusal[]): Table {
  return {
    ...{ label, lead: 'state' },
    columns: { Route: 'name', State: 'how', Reason: 'check' },
    rows: list.map(({ key, reason, message }) => ({
      name: [key],
      cells: [[state], [reason, `: ${message}`]],
    })),
  };
}

/** Those that have ended, or soon will. */
export function certificatesTable({ certificates }: RouterStatus, now: number): Table {
  const soon = (certificates?.first ?? []).filter(
    ({ validTo }) => Date.parse(validTo) < now + EXPIRES_SOON_MS,
  );
  return {
    ...{ label: 'Certificates', lead: 'state' },
    columns: { Route: 'name', Certificate: 'how', 'Valid until': 'age' },
    rows: soon.map(({ route, host, validTo }) => ({
      ...{ name: [route], aside: [host] },
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

/** The newest first. */
export function changesTable({ changes }: RouterStatus): Table {
  return {
    ...{ label: 'Last changes', lead: 'state' },
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
