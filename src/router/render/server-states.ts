import type { SetFile } from '../../engine/apply/file-set.ts';
import { mapChanged } from '../../engine/system/map-changed.ts';
import type { RouteBackend } from '../model.ts';
import { SERVER_STATES_FILE } from './file-names.ts';
import { serverIds } from './template-backend.ts';

/** The version of the format, and what HAProxy calls its fields. Source: HAProxy's management guide, "show servers state". */
const HEAD = `1
# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr srv_agent_addr srv_agent_port
`;

/**
 * The servers that are alone, of the routes of one model after another. HAProxy starts with them up and with their checks off: that is the one way
 * to start with checks that can be turned on later. Which servers these are the main file says as well (`CHECKS_OFF`).
 */
export function createServerStatesFile(): (routes: readonly RouteBackend[]) => SetFile {
  const states = mapChanged(statesOf);
  return (routes) => ({ name: SERVER_STATES_FILE, content: HEAD + states(routes).join('') });
}

function statesOf({ name: backend, kind, servers }: RouteBackend): string {
  if (!servers.some(({ isAlone }) => isAlone === true)) return '';
  const ids = serverIds(servers);
  // HAProxy takes this from the state as well: with 0, a server that has `ssl` would be spoken to without TLS.
  const usesTls = kind === 'reencrypt' ? 1 : 0;
  return servers
    .map(({ name, port, weight, isAlone }, index) =>
      isAlone === true
        ? `0 ${backend} ${ids[index]} ${name} - ${UP} 0 ${weight} ${weight} 0 ${CHECKS_OFF} 0 0 1 - ${port} - ${usesTls} 0 - - 0\n`
        : '',
    )
    .join('');
}

const UP = 2;
/** No check was made, all that may fail may fail, and of the two flags `configured` and `enabled` only the first is set. */
const CHECKS_OFF = '1 0 4 2';
