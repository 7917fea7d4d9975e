import { type Pod, programOf } from '../../cli/pod.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { hostPort } from '../../engine/system/network/address-text.ts';
import { placesOf } from './layout.ts';
import type { InstallRecord } from './record.ts';

/**
 * The pods that `hawser install --instance NAME` writes: those whose programs may run more than once on a node. Without a name all
 * pods as they are. `supervisorListen` counts before what an earlier install noted. Throws a ConfigError if neither is there.
 */
export function podsOfInstance(
  pods: readonly Pod[],
  {
    instance: name,
    supervisorListen,
  }: { readonly instance?: string | undefined; readonly supervisorListen?: string | undefined },
  record: Pick<InstallRecord, 'pages'> | undefined,
): readonly Pod[] {
  if (name === undefined) return pods;
  const own = pods.filter(({ daemons }) => daemons.every(({ flags }) => 'instance' in flags));
  return own.map((pod) => {
    // A record without its page is of one that has none.
    const page = record?.pages?.[programOf(pod.supervisor.spec)];
    const noted = record && (page === undefined ? 'off' : hostPort(page));
    const listen = supervisorListen ?? noted;
    if (listen === undefined)
      throw new ConfigError([
        `Cannot install instance "${name}" without --supervisor-listen: expected an address and a free port for the page of its supervisor, which is no key of ${placesOf(name).settings}`,
      ]);
    return { ...pod, instance: { name, listen } };
  });
}
