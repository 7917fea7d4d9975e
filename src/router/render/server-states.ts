import type { SetFile } from '../../engine/apply/file-set.ts';
import { mapChanged } from '../../engine/system/map-changed.ts';
import { pausedRow, stateFile } from '../../haproxy/text/servers-state.ts';
import type { RouteBackend } from '../model.ts';
import { SERVER_STATES_FILE } from './file-names.ts';
import { serverIds } from './template-backend.ts';

/**
 * The servers that are alone, of the routes of one model after another. HAProxy starts with them up and with their checks off: that is the one way
 * to start with checks that can be turned on later. Which servers these are the main file says as well (`CHECKS_OFF`).
 */
export function createServerStatesFile(): (routes: readonly RouteBackend[]) => SetFile {
  const states = mapChanged(statesOf);
  return (routes) => ({ name: SERVER_STATES_FILE, content: stateFile(states(routes)) });
}

function statesOf({ name: backend, kind, servers }: RouteBackend): string {
  if (!servers.some(({ isAlone }) => isAlone === true)) return '';
  const ids = serverIds(servers);
  const usesTls = kind === 'reencrypt';
  return servers
    .map(({ name, port, weight, isAlone }, index) =>
      isAlone === true ? pausedRow({ backend, id: ids[index] ?? 0, name, port, weight, usesTls }) : '',
    )
    .join('');
}
