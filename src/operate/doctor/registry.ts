import type { CommandSpec } from '../../cli/command-spec.ts';
import { skip } from '../../engine/examine/check.ts';
import { clusterChecks } from './checks/cluster.ts';
import { credentialChecks } from './checks/credentials.ts';
import { portChecks } from './checks/ports.ts';
import { settingsFileChecks } from './checks/settings-file.ts';
import type { DoctorCheck, DoctorSettings } from './look/context.ts';
import type { Product } from './look/product.ts';

/** A check, and where it says something: on a node, or where this daemon runs. */
export interface PlacedCheck extends DoctorCheck {
  readonly place: 'node' | CommandSpec;
}

/** Every check, in the order in which they are shown: the settings, each product, the ports of all, the API. */
export function checksOf(products: readonly Product[]): readonly PlacedCheck[] {
  const installed = products.filter(({ home }) => home.kind === 'node');
  const ofNode = [...portChecks(installed), ...credentialChecks, ...clusterChecks];
  return [...settingsFileChecks.map(onNode), ...products.flatMap(productChecks), ...ofNode.map(onNode)];
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
    run: async (context, signal) =>
      context.readings.deployed(daemon) === undefined
        ? skip(`no hawser ${daemon.name} runs here`)
        : await check.run(context, signal),
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
