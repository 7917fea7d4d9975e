import { flag } from '../../cli/command-spec.ts';
import { optionalListenAddress } from '../../cli/fields.ts';
import { defaultPorts } from '../../cli/shared-flags.ts';
import type { SeenCluster } from '../../engine/examine/seen.ts';
import { routerStatusSchema } from '../serve/router-status.ts';
import { routerProblems } from './problems.ts';
import type { RouterNode } from './router-node.ts';
import { routerSection } from './router-section.ts';

/** What the router says in `hawser status`. */
export const routerStatus = {
  look: {
    home: { kind: 'pod' as const, beside: [] },
    programs: [
      {
        ...{ name: 'router', field: 'router', schema: routerStatusSchema },
        page: flag('<address:port>', optionalListenAddress, 'the router\'s page, or "off"', {
          ...{ default: `127.0.0.1:${defaultPorts.router}`, keyInFile: ['router', 'listen'] },
        }),
      },
    ],
  },
  section: ({ here }: SeenCluster<RouterNode>) => ({ sections: [routerSection(here)] }),
  problems: ({ here }: SeenCluster<RouterNode>) => routerProblems(here),
};
