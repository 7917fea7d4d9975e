import { flag } from '../../cli/command-spec.ts';
import { optionalListenAddress } from '../../cli/fields.ts';
import { defaultPorts } from '../../cli/shared-flags.ts';
import { changeProblem, type Problem, problem, problemsAmong } from '../../engine/examine/problem.ts';
import {
  changeFacts,
  type Fact,
  type Section,
  type StatusLabel,
  statusLabel,
  styled,
  type Table,
} from '../../engine/examine/section.ts';
import type { SeenCluster, SeenNode } from '../../engine/examine/seen.ts';
import { ageText, countText } from '../../engine/system/text/readable-text.ts';
import { type ProxyStatus, proxyStatusSchema } from '../proxy-status.ts';

/** The pod proxy's part of a node's status: absent without a pod proxy, null if the pod proxy does not answer. */
export interface PodProxyNode extends SeenNode {
  readonly podProxy?: ProxyStatus | null | undefined;
}

/** How many items are shown of lists that grow with the cluster. */
const MAX_GROUPS = 20;
const MAX_ADDRESSES = 8;

/** The groups behind the proxy, and whether its template is served. */
export function podProxySection({ node, podProxy }: PodProxyNode): Section {
  return {
    id: 'pod-proxy',
    title: `Pod proxy ${podProxy?.pod ?? `on ${node}`}`,
    place: 'left',
    parts: [
      {
        summary: summaryOf(podProxy),
        tables: podProxy ? [groupsTable(podProxy)] : [],
        facts: podProxy ? factsOf(podProxy) : [],
      },
    ],
  };
}

function summaryOf(proxy: PodProxyNode['podProxy']): StatusLabel {
  if (!proxy) return statusLabel('unknown', 'it does not answer');
  if (!proxy.synced) return statusLabel('busy', 'reads its pod from the API');
  if (proxy.problem !== null) return statusLabel('bad', 'does not serve everything in its annotations');
  if (proxy.hosts === null) return statusLabel('busy', 'has no configuration yet');
  const groups = Object.values(proxy.hosts);
  const addresses = groups.flat().length;
  if (addresses === 0) return statusLabel('bad', 'there is no ready pod behind it');
  const words = `serves ${addresses} ${addresses === 1 ? 'address' : 'addresses'} of ${countText(groups.length, 'group')}`;
  return statusLabel('good', words);
}

function groupsTable({ hosts }: ProxyStatus): Table {
  const groups = Object.entries(hosts ?? {});
  const more = groups.length - MAX_GROUPS;
  const rows = groups.slice(0, MAX_GROUPS).map(([group, addresses]) => ({
    name: [group],
    cells: [[`${addresses.length}`, styled('unit', ' in all')], [listed(addresses)]],
  }));
  const rest = { name: ['…'], cells: [[], [`${countText(more, 'group')} more`]] };
  return {
    label: 'Groups',
    lead: 'name',
    columns: { Group: 'name', Addresses: 'number', Which: 'check' },
    rows: more > 0 ? [...rows, rest] : rows,
  };
}

function listed(addresses: readonly string[]): string {
  const more = addresses.length - MAX_ADDRESSES;
  return `${addresses.slice(0, MAX_ADDRESSES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function factsOf({ problem, lastProblem, hosts, dns, lastChange }: ProxyStatus): readonly Fact[] {
  const served = hosts === null ? [] : [{ name: 'Template', state: statusLabel('good', 'served') }];
  const template =
    problem === null
      ? served
      : [
          {
            name: 'Template',
            state: statusLabel('bad', problem.reason),
            text: problem.message,
            ...(problem.detail !== undefined && { output: problem.detail }),
          },
        ];
  const before =
    lastProblem === null
      ? []
      : [
          {
            name: 'Last problem',
            text: `resolved ${ageText(lastProblem.agoMs)} ago: ${lastProblem.reason}: ${lastProblem.message}`,
          },
        ];
  return [...template, ...before, ...dnsFacts(dns), ...changeFacts(lastChange)];
}

function dnsFacts(dns: ProxyStatus['dns']): readonly Fact[] {
  if (!dns) return [];
  const { target, names, addresses, problems } = dns;
  if (problems.length > 0)
    return [{ name: 'DNS', state: statusLabel('bad', 'incorrect'), text: problems.join('; ') }];
  const text = addresses === null ? listed(names) : `${listed(names)}: ${listed(addresses)}`;
  const words = target === null ? 'another replica writes' : `written by ${target}`;
  return [{ name: 'DNS', state: statusLabel('good', words), text }];
}

/** Why the pod proxy cannot serve its annotations and downstream pods. */
export function podProxyProblems({ podProxy }: PodProxyNode): readonly Problem[] {
  if (!podProxy) return [];
  const { synced, hosts, problem: refused, dns, lastChange } = podProxy;
  if (!synced) return [problem('blind', 'the pod proxy has not read its pod from the API yet')];
  const isEmpty = hosts !== null && Object.values(hosts).every((addresses) => addresses.length === 0);
  return problemsAmong([
    isEmpty && problem('outage', 'there is no ready pod behind the pod proxy'),
    refused !== null &&
      problem(
        'change',
        `the pod proxy does not serve everything in its annotations (${refused.reason}): ${refused.message}`,
      ),
    dns?.problems[0] !== undefined &&
      problem('change', `the pod proxy's DNS records are not correct: ${dns.problems[0]}`),
    refused === null && changeProblem("the pod proxy's configuration", lastChange),
  ]);
}

/** The pod proxy's section of `hawser status`. */
export const podProxyStatus = {
  inputs: {
    home: { kind: 'pod' as const, beside: ['haproxy-supervisor'] },
    programs: [
      {
        name: 'pod-proxy',
        field: 'podProxy',
        schema: proxyStatusSchema,
        page: flag('<address:port>', optionalListenAddress, 'the pod proxy\'s page, or "off": its --listen', {
          default: `127.0.0.1:${defaultPorts.podProxy}`,
          inFile: 'never',
        }),
      },
    ],
  },
  section: ({ here }: SeenCluster<PodProxyNode>) => ({ sections: [podProxySection(here)] }),
  problems: ({ here }: SeenCluster<PodProxyNode>) => podProxyProblems(here),
};
