import { forbiddenIn } from '../../engine/kube/rbac-hint.ts';

/** What helps where the API forbids a router to read a kind; undefined in words that are not those of a 403. */
export function routerRemedy(message: string): string | undefined {
  const forbidden = forbiddenIn(message);
  if (forbidden === undefined) return undefined;
  const { user, resource } = forbidden;
  const without = resource === 'secrets' ? ', or --secrets false where no route names a Secret' : '';
  return `expected a role with which "${user}" may list and watch ${resource}, such as the one of manifests/router/rbac.yaml${without}`;
}
