import { runRouter } from '../router/live/router-program.ts';
import { routerCommand } from '../router/settings/router-command.ts';

export const spec = routerCommand;
export const run = runRouter;
