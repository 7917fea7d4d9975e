import type { CommandSpec } from '../../cli/command-spec.ts';
import { skip } from '../../engine/examine/check.ts';
import type { DoctorCheck, DoctorSettings } from './context.ts';
import { credentialChecks } from './credential-checks.ts';
import { clusterChecks, portsCheck, settingsFileCheck } from './node-checks.ts';
import type { Product } from './product.ts';

/** A check and where it applies: on every node, or only where this daemon runs. */
export interface PlacedCheck extends DoctorCheck {
  readonly place: 'node' | CommandSpec;
}

/**
 * Returns every check in the order of the report: the most important ones, then the settings file, each product, the ports,
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
 * Returns the checks that apply here. In the pod of a daemon that hawser does not install, checks of nodes do not apply. `isNodeSeen`
 * distinguishes such a pod from a node, since both may use the same network.
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
