import {
  listText,
  type Piece,
  type Row,
  type Section,
  type StatusLabel,
  statusLabel,
  styled,
  type Table,
} from '../../../engine/examine/section.ts';
import { allNodes, type ClusterNode, type SeenNode } from '../../../engine/examine/seen.ts';
import { countText } from '../../../engine/system/text/readable-text.ts';
import type { ClusterStatus } from '../node-status.ts';
import { productsAt } from '../place.ts';
import type { ProductStatus } from '../product-status.ts';

/** The content of a status for people. Both the text output and the page print it. */
export interface StatusView {
  readonly verdict: StatusLabel;
  readonly node: string;
  /** The cluster's name; null if no program reports it. */
  readonly cluster: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Worst first. */
  readonly problems: readonly string[];
  /** In reading order. */
  readonly sections: readonly Section[];
}

const VERDICTS: Readonly<Record<ClusterStatus['verdict'], StatusLabel>> = {
  healthy: statusLabel('good', 'Healthy'),
  degraded: statusLabel('warn', 'Degraded'),
  unknown: statusLabel('unknown', 'Cannot tell'),
};

/** The reading order of sections. */
const PLACES: readonly Section['place'][] = ['left', 'right', 'wide'];

export function statusView(status: ClusterStatus, all: readonly ProductStatus[]): StatusView {
  const { verdict, here, problems } = status;
  const products = productsAt(here, all);
  const names = products.map(({ inputs }) => inputs.group?.(here).clusterName);
  const parts = products.map((product) => product.section(status));
  const nodes = nodesSection(
    status,
    parts.flatMap((part) => part.nodes ?? []),
  );
  const sections = [...parts.flatMap((part) => part.sections), nodes];
  return {
    verdict: VERDICTS[verdict],
    node: here.node,
    at: here.at,
    problems,
    cluster: names.find((name) => name !== undefined) ?? null,
    sections: sections.toSorted((a, b) => PLACES.indexOf(a.place) - PLACES.indexOf(b.place)),
  };
}

type NodeColumns = NonNullable<ReturnType<ProductStatus['section']>['nodes']>;

/** The list of nodes: this node's own status, and what it observes of the others. */
function nodesSection(status: ClusterStatus, products: readonly NodeColumns[]): Section {
  const rows = allNodes(status).map((node) => nodeRow(node, products));
  const columns = {
    Node: 'name',
    Programs: 'how',
    ...Object.assign({}, ...products.map(({ columns }) => columns)),
    'Runs on': 'hashes',
    Checks: 'checks',
  };
  const table: Table = { label: 'Nodes', lead: 'name', columns, rows };
  return { id: 'nodes', title: 'Nodes', place: 'wide', parts: [{ tables: [table] }] };
}

function nodeRow(node: ClusterNode<SeenNode>, products: readonly NodeColumns[]): Row {
  const { name, status, peer } = node;
  const entries = products.map(({ entry }) => entry(node));
  const address = peer?.address ?? entries.find((entry) => entry.address !== undefined)?.address;
  return {
    name: [name],
    aside: [
      ...(address === undefined ? [] : [address]),
      ...(peer === undefined ? [`${address === undefined ? '' : ', '}this node`] : []),
    ],
    cells: [
      status === null ? [] : programsOf(status),
      ...entries.flatMap(({ cells }) => cells),
      entries.flatMap(({ configurations }) => configurations),
    ],
    details: entries.flatMap(({ details = [] }) => details),
  };
}

function programsOf({ programs }: SeenNode): readonly Piece[] {
  const notes = programs.flatMap(({ name, state, address, problem }) =>
    state === 'answers' ? [] : styled('note', `${[name, address].filter(Boolean).join(' at ')}: ${problem}`),
  );
  return [answersOf(programs), ...notes];
}

function answersOf(programs: SeenNode['programs']): StatusLabel {
  const silent = programs.filter(({ state }) => state === 'silent');
  const asked = programs.filter(({ state }) => state !== 'not-asked');
  if (asked.length === 0) return statusLabel('unknown', 'no program was asked');
  if (silent.length === asked.length) return statusLabel('bad', 'no program answers');
  const names = listText(silent.map(({ name }) => name));
  if (silent.length > 0) return statusLabel('bad', `${names} ${silent.length === 1 ? 'is' : 'are'} silent`);
  const isAll = asked.length === programs.length;
  return statusLabel('good', `${isAll ? 'all programs' : countText(asked.length, 'program')} answer`);
}
