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
import { allNodes, type KnownNode } from '../../../engine/examine/seen.ts';
import { countText } from '../../../engine/system/text/readable-text.ts';
import type { ClusterStatus, NodeStatus } from '../node-status.ts';
import type { ProductStatus } from '../product-status.ts';

/** What this node says of itself, and what is seen of the others from here. */
export function nodesSection(status: ClusterStatus, products: readonly ProductStatus[]): Section {
  const rows = allNodes<NodeStatus>(status).map((node) => nodeRow(node, status, products));
  const columns = {
    ...{ Node: 'name', Programs: 'how' },
    ...Object.assign({}, ...products.map((product) => product.columns)),
    ...{ 'Runs on': 'hashes', Checks: 'checks' },
  };
  const table: Table = { label: 'Nodes', lead: 'name', columns, rows };
  return { id: 'nodes', title: 'Nodes', place: 'wide', parts: [{ tables: [table] }] };
}

function nodeRow(
  node: KnownNode<NodeStatus>,
  status: ClusterStatus,
  products: readonly ProductStatus[],
): Row {
  const { name, said, peer } = node;
  const entries = products.map(({ entry }) => entry(node, status));
  const address = peer?.address ?? entries.find((entry) => entry.address !== undefined)?.address;
  return {
    name: [name],
    aside: [
      ...(address === undefined ? [] : [address]),
      ...(peer === undefined ? [`${address === undefined ? '' : ', '}this node`] : []),
    ],
    cells: [
      said === null ? [] : programsOf(said),
      ...entries.flatMap(({ cells }) => cells),
      entries.flatMap(({ configurations }) => configurations),
    ],
    details: entries.flatMap(({ details = [] }) => details),
  };
}

function programsOf({ programs }: NodeStatus): readonly Piece[] {
  const notes = programs.flatMap(({ name, state, address, problem }) =>
    state === 'answers' ? [] : styled('note', `${[name, address].filter(Boolean).join(' at ')}: ${problem}`),
  );
  return [answersOf(programs), ...notes];
}

function answersOf(programs: NodeStatus['programs']): StatusLabel {
  const silent = programs.filter(({ state }) => state === 'silent');
  const asked = programs.filter(({ state }) => state !== 'not-asked');
  if (asked.length === 0) return statusLabel('unknown', 'no program was asked');
  if (silent.length === asked.length) return statusLabel('bad', 'no program answers');
  const names = listText(silent.map(({ name }) => name));
  if (silent.length > 0) return statusLabel('bad', `${names} ${silent.length === 1 ? 'is' : 'are'} silent`);
  const isAll = asked.length === programs.length;
  return statusLabel('good', `${isAll ? 'all programs' : countText(asked.length, 'program')} answer`);
}
