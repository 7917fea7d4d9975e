import { type Section, type StatusLabel, statusLabel } from '../../../engine/examine/section.ts';
import type { ClusterStatus } from '../node-status.ts';
import { productsAt } from '../place.ts';
import type { ProductStatus } from '../product-status.ts';
import { nodesSection } from './nodes.ts';

/** Everything that a status says to people, in words: the text and the page are printers of it. */
export interface StatusView {
  readonly verdict: StatusLabel;
  readonly node: string;
  /** By the name that this node uses; null where no program says. */
  readonly cluster: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The worst first. */
  readonly problems: readonly string[];
  /** In the order in which they are read. */
  readonly sections: readonly Section[];
}

const VERDICTS: Readonly<Record<ClusterStatus['verdict'], StatusLabel>> = {
  healthy: statusLabel('good', 'Healthy'),
  degraded: statusLabel('warn', 'Degraded'),
  unknown: statusLabel('unknown', 'Cannot tell'),
};

/** The order in which sections are read. */
const PLACES: readonly Section['place'][] = ['left', 'right', 'wide'];

export function statusView(status: ClusterStatus, all: readonly ProductStatus[]): StatusView {
  const { verdict, here, problems } = status;
  const products = productsAt(here, all);
  const names = products.map(({ clusterName }) => clusterName?.(here) ?? null);
  const sections = [
    ...products.flatMap((product) => product.sections(status)),
    nodesSection(status, products),
  ];
  return {
    ...{ verdict: VERDICTS[verdict], node: here.node, at: here.at, problems },
    cluster: names.find((name) => name !== null) ?? null,
    sections: sections.toSorted((a, b) => PLACES.indexOf(a.place) - PLACES.indexOf(b.place)),
  };
}
