import type { SetFile } from '../../engine/config/set.ts';
import { pausedRow, stateFile } from '../../haproxy/text/servers-state.ts';
import type { RouteBackend } from '../model.ts';
import { SERVER_STATES_FILE } from './file-names.ts';
import { serverIds } from './template-backend.ts';

/**
 * The servers that are alone, by the lines of their routes. HAProxy starts with them up and with their checks off: that is the only method
 * to start with checks that can be turned on later. The main file names these servers as well (`CHECKS_OFF`).
 */
export function serverStatesFile(routes: readonly { readonly states: string }[]): SetFile {
  const lines = routes.map(({ states }) => states).filter((states) => states !== '');
  return { name: SERVER_STATES_FILE, content: stateFile(lines) };
}

/** The lines of one route, '' if none of its servers is alone. */
export function serverStates({ name: backend, kind, servers }: RouteBackend): string {
  if (!servers.some(({ isAlone }) => isAlone === true)) return '';
  const ids = serverIds(servers);
  const usesTls = kind === 'reencrypt';
  return servers
    .map(({ name, port, weight, isAlone }, index) =>
      isAlone === true ? pausedRow({ backend, id: ids[index] ?? 0, name, port, weight, usesTls }) : '',
    )
    .join('');
}
