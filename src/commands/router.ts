import { runRouter } from '../router/serve/router-program.ts';
import { routerCommand } from '../router/settings/router-command.ts';

export const spec = routerCommand;
export const run = runRouter;
