/** Matches the message of a 403: `nodes is forbidden: User "system:node:cp-1" cannot list resource "nodes" in API group "" …`. */
const refused = /User "([^"]*)" cannot (?:list|watch) resource "([^"]*)"/;

/** The user and the resource in the message of a 403; undefined for any other message. */
export function forbiddenIn(
  message: string,
): { readonly user: string; readonly resource: string } | undefined {
  const [, user, resource] = refused.exec(message) ?? [];
  return user === undefined || resource === undefined ? undefined : { user, resource };
}

/**
 * The remedy for a 403 of a source that reads Nodes or EndpointSlices; undefined if unknown. Since Kubernetes 1.32 the Node authorizer lets a kubelet read only its own
 * Node (AuthorizeNodeWithSelectors), unless RBAC lets the group system:nodes read all Nodes.
 */
export function rbacHint(message: string): string | undefined {
  const { user, resource } = forbiddenIn(message) ?? {};
  if (user === undefined) return undefined;
  const isKubelet = user.startsWith('system:node:');
  if (isKubelet && resource !== 'endpointslices')
    return `these are a kubelet's credentials, which may read only their own Node since Kubernetes 1.32; run hawser rbac --kubelet | kubectl apply -f -, or give hawser a kubeconfig of its own: kubeadm kubeconfig user --client-name hawser --validity-period 87600h`;
  const flag = resource === 'endpointslices' ? ' --endpoints' : '';
  return `expected a role for user "${user}": hawser rbac${flag} | kubectl apply -f -${user === 'hawser' || isKubelet ? '' : ', with the name of that user instead of hawser'}`;
}
