import type { CheckedModel } from '../../engine/render/checked-model.ts';
import { expectedText, isSafeText } from '../../engine/render/safe-text.ts';
import type { KeepalivedModel } from './vrrp.ts';

/**
 * `unprintable` if a text could be more than one word in the template, which prints it unescaped. `buildKeepalivedModel` never
 * returns such a model; if it did, the node would keep its current configuration.
 */
export function printableKeepalived(model: KeepalivedModel): CheckedModel<KeepalivedModel> {
  const { routerId, notifyFifo, trackFiles, syncGroups, instances } = model;
  const texts = [
    routerId,
    notifyFifo,
    ...trackFiles.map(({ path }) => path),
    ...syncGroups.flatMap((group) => [group.name, ...group.instances]),
    ...instances.flatMap((each) => [each.name, each.interface, each.vip, each.sourceAddress]),
    ...instances.flatMap(({ peers }) => peers.flatMap(({ name, address }) => [name, address])),
  ];
  const wrong = texts.find((each) => !isSafeText(each));
  if (wrong === undefined) return { kind: 'printable', model };
  return { kind: 'unprintable', problem: `${JSON.stringify(wrong)} is not printable, ${expectedText}` };
}
