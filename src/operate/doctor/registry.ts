import type { CommandSpec } from '../../cli/command-spec.ts';
import { skip } from '../../engine/examine/check.ts';
import type { DoctorCheck, DoctorSettings } from './context.ts';
import { credentialChecks } from './credential-checks.ts';
import { clusterChecks, portsCheck, settingsFileCheck } from './node-checks.ts';
import type { Product } from './product.ts';

/** A check, and where it says something: on a node, or where this daemon runs. */
export interface PlacedCheck extends DoctorCheck {
  readonly place: 'node' | CommandSpec;
}

/**
 * Every check, in the order in which they are shown: those that matter most, then the settings, each product, the ports of all,
 * the API.
 */
export function checksOf(products: readonly Product[]): readonly PlacedCheck[] {
  const installed = products.filter(({ home }) => home.kind === 'node');
  const ofNode = [portsCheck(installed), ...credentialChecks, ...clusterChecks];
  const all = [onNode(settingsFileCheck), ...products.flatMap(productChecks), ...ofNode.map(onNode)];
  return [...all.filter(({ isFirst }) => isFirst), ...all.filter(({ isFirst }) => !isFirst)];
}

function onNode(check: DoctorCheck): PlacedCheck {
  return { ...check, place: 'node' };
}

function productChecks(product: Product): readonly PlacedCheck[] {
  const { home } = product;
  if (home.kind === 'node') return product.checks.map(onNode);
  const { daemon } = home;
  return product.checks.map((check) => ({
    ...check,
    place: daemon,
    run: async (context) =>
      context.readings.deployed(daemon) === undefined
        ? skip(`no hawser ${daemon.name} runs here`)
        : await check.run(context),
  }));
}

/**
 * Those that say something here. In the pod of a daemon that hawser does not install nothing is said of nodes; `isNodeSeen` tells
 * such a pod from a node that it shares the network with.
 */
export function checksHere(
  checks: readonly PlacedCheck[],
  deployed: DoctorSettings['deployed'],
  isNodeSeen: boolean,
): readonly PlacedCheck[] {
  const isNode = isNodeSeen || deployed.length === 0;
  return checks.filter(({ place }) =>
    place === 'node' ? isNode : deployed.some(({ spec }) => spec.name === place.name),
  );
}
