import { hostPort } from '../../engine/system/network/address-text.ts';
import { askPage } from '../../engine/system/network/ask-page.ts';

/** The holder may have just taken the VIP over. */
const PATIENCE_MS = 5_000;
/** In templates/haproxy.cfg.ejs. */
const CLUSTER_NAME_PATH = '/hawser_cluster_name';

type ClusterNameAnswer =
  | { readonly kind: 'told'; readonly name: string }
  /** `message` ends the sentence "the name cannot be learned: …". */
  | { readonly kind: 'unknown'; readonly message: string };

/**
 * The cluster name of the node that holds `vip`, from which its virtual router ids derive. A joining node needs the
 * same name: with other ids it would not hear the holder, and would hold the VIP a second time.
 */
export async function askClusterName(vip: string, healthPort: number): Promise<ClusterNameAnswer> {
  const at = `http://${hostPort({ host: vip, port: healthPort })}${CLUSTER_NAME_PATH}`;
  const answer = await askPage({ host: vip, port: healthPort }, CLUSTER_NAME_PATH, {
    timeoutMs: PATIENCE_MS,
  });
  if (answer.kind === 'silent')
    return { kind: 'unknown', message: `${at} does not answer (${answer.message})` };
  const name = answer.text.trim();
  if (answer.status === 200 && /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/.test(name)) return { kind: 'told', name };
  return { kind: 'unknown', message: `${at} answers ${answer.status}, without a name` };
}
