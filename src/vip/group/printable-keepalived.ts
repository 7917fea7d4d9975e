import { type CheckedModel, renderChecked } from '../../engine/render/checked-model.ts';
import type { RenderOutcome } from '../../engine/render/render-template.ts';
import { expectedText, isSafeText } from '../../engine/render/safe-text.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import type { KeepalivedInstance, KeepalivedModel } from './vrrp.ts';

/** The configuration file of keepalived for this model. Same model, same bytes. */
export function renderKeepalived(
  templateText: string,
  model: KeepalivedModel,
  options: { readonly templatePath: string },
): RenderOutcome {
  return renderChecked(templateText, printableKeepalived(model), options);
}

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
    ...[routerId, notifyFifo],
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
    return `${JSON.stringify(wrong)} of instance "${name}" is no ${instance.family} address, expected one`;
  if (!isWithin(virtualRouterId, 255))
    return `the virtual router id "${virtualRouterId}" of instance "${name}" is none, expected 1 to 255`;
  if (!isWithin(priority, 254))
    return `the priority "${priority}" of instance "${name}" is none, expected 1 to 254`;
  return undefined;
}

function isWithin(value: number, highest: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= highest;
}
