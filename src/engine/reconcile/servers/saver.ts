import type { ApiServer } from '../../kube/api-server.ts';
import { writeLastKnown } from '../../kube/control-plane/last-known.ts';
import { messageOf } from '../../system/errors.ts';
import type { Observers } from '../observers.ts';

/** Saves each served list for the next cold start. A failed write is logged once. */
export function createSaver(path: string, { log, once }: Observers): (servers: readonly ApiServer[]) => void {
  let saving: Promise<unknown> = Promise.resolve();
  return (servers) => {
    saving = saving
      .then(() => writeLastKnown(path, servers, new Date()))
      .then(
        () => once.clear('last-known'),
        (error) => {
          const message = messageOf(error);
          if (once.isNew('last-known', message))
            log({ event: 'last-known-not-saved', level: 'warn', path, message });
        },
      );
  };
}
