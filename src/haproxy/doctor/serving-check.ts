import type { Check } from '../../engine/examine/check.ts';
import type { NodeContext } from '../../engine/examine/context.ts';
import { askRuntimeApi } from '../runtime-api.ts';
import { judgeServing } from './judge-serving.ts';

interface Sockets {
  readonly socket: string;
  readonly statsSocket: string;
}

/** Of a controller that has its HAProxy in another container of its pod. */
export function servingCheck<Context extends NodeContext>(
  { id, title, portsAre }: Pick<Check, 'id' | 'title'> & { readonly portsAre: string },
  socketsIn: (context: Context) => Sockets,
): Check<Context> {
  return {
    ...{ id, title },
    why: 'Without its control socket no change is loaded; without its ports no client is served.',
    run: async (context) => {
      const { socket, statsSocket } = socketsIn(context);
      const [supervisor, info] = await Promise.all([
        context.readings.supervisor('haproxy', socket),
        askRuntimeApi(statsSocket, 'show info', context.answerTimeoutMs),
      ]);
      return judgeServing({ supervisor, socket, info, statsSocket, portsAre });
    },
  };
}
