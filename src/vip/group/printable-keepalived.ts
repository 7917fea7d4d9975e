import type { CheckedModel } from '../../engine/render/checked-model.ts';
import { expectedText, isSafeText } from '../../engine/render/safe-text.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import type { KeepalivedInstance, KeepalivedModel } from './vrrp.ts';

/**
 * Unprintable where a value could not be what it says. Such a model never comes out of `buildKeepalivedModel`; if it
 * did, the node would keep the configuration that it has.
 */
export function printableKeepalived(model: KeepalivedModel): CheckedModel<KeepalivedModel> {
  const problem = [textProblem(model), ...model.instances.map(instanceProblem)].find(
    (found) => found !== undefined,
  );
  return problem === undefined ? { kind: 'printable', model } : { kind: 'unprintable', problem };
}

function textProblem({ routerId, notifyFifo, trackFiles, syncGroups, instances }: KeepalivedModel) {
  const texts = [
    routerId,
    notifyFifo,
    ...trackFiles.map(({ path }) => path),
    ...syncGroups.flatMap((group) => [group.name, ...group.instances]),
    ...instances.flatMap((each) => [each.name, each.interface]),
    ...instances.flatMap((each) => each.peers.map(({ name }) => name)),
  ];
  const wrong = texts.find((each) => !isSafeText(each));
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not printable, ${expectedText}`;
}

function instanceProblem(instance: KeepalivedInstance): string | undefined {
  const { name, vip, sourceAddress, peers, virtualRouterId, priority } = instance;
  const wrong = [vip, sourceAddress, ...peers.map(({ address }) => address)].find(
    (address) => parseAddress(address)?.family !== instance.family,
  );
  if (wrong !== undefined)
    return `invalid address ${JSON.stringify(wrong)} of instance "${name}", expected ${instance.family}`;
  if (!isWithin(virtualRouterId, 255))
    return `invalid virtual router id "${virtualRouterId}" of instance "${name}", expected 1 to 255`;
  if (!isWithin(priority, 254))
    return `invalid priority "${priority}" of instance "${name}", expected 1 to 254`;
  return undefined;
}

function isWithin(value: number, highest: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= highest;
}
