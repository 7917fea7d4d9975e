import { chooseVipInterface } from '../../group/vip-interface.ts';
import type { VipContext } from '../context.ts';

/** The interfaces on which VIPs go, by the VIPs that go on them. */
export async function vipInterfaces(context: VipContext): Promise<ReadonlyMap<string, readonly string[]>> {
  const { readings, settings } = context;
  const [vips, routes] = await Promise.all([readings.vips(), readings.routes()]);
  const found = new Map<string, readonly string[]>();
  for (const vip of vips) {
    const on = chooseVipInterface(vip, readings.interfaces(), routes, settings.interface);
    if (on.kind === 'chosen') found.set(on.name, [...(found.get(on.name) ?? []), vip]);
  }
  return found;
}

/** For these settings the kernel takes the greater of `all` and the interface's own. */
export async function interfaceSetting(
  { files }: VipContext,
  family: 'ipv4' | 'ipv6',
  device: string,
  key: string,
): Promise<number | undefined> {
  const read = async (name: string) => await files.value(`/proc/sys/net/${family}/conf/${name}/${key}`);
  const values = (await Promise.all(['all', device].map(read))).flatMap((text) =>
    text === undefined ? [] : Number(text),
  );
  return values.length === 0 ? undefined : Math.max(...values);
}
