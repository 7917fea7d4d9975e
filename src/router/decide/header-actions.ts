import type { HeaderWish } from '../follow/route.ts';
import type { HeaderAction } from '../model.ts';
import { headerValueProblem, isHeaderName } from '../safe-text.ts';

interface CheckedHeaders {
  readonly actions: readonly HeaderAction[];
  readonly remarks: readonly string[];
}

/**
 * OpenShift's API refuses the first four; the others would break the message. `Host` may be set: which backend answers was decided before, by the one
 * that the client sent.
 */
const reserved: ReadonlySet<string> = new Set([
  'strict-transport-security',
  'proxy',
  'cookie',
  'set-cookie',
  'content-length',
  'transfer-encoding',
]);

/** As OpenShift's API allows. */
const mostActions = 20;

/** A route's header actions in order. Invalid ones are left out, with a remark. */
export function headerActions(wishes: readonly HeaderWish[], of: 'request' | 'response'): CheckedHeaders {
  const checked = wishes.slice(0, mostActions).map((wish, index) => {
    const reason = problemOf(wish, of);
    return reason === undefined
      ? { action: actionOf(wish) }
      : { remark: `spec.httpHeaders.actions.${of}[${index}]: ignored, ${reason}` };
  });
  const more = wishes.length - checked.length;
  const left =
    more > 0 ? [`spec.httpHeaders.actions.${of}: ${more} ignored, expected at most ${mostActions}`] : [];
  return {
    actions: checked.flatMap(({ action }) => (action === undefined ? [] : [action])),
    remarks: [...checked.flatMap(({ remark }) => (remark === undefined ? [] : [remark])), ...left],
  };
}

function actionOf({ name, action, value }: HeaderWish): HeaderAction {
  return action === 'Set' ? { kind: 'set', name, value } : { kind: 'delete', name };
}

function problemOf({ name, action, value }: HeaderWish, of: 'request' | 'response'): string | undefined {
  if (!isHeaderName(name)) return 'expected the name of a header';
  if (reserved.has(name.toLowerCase())) return `routes do not change ${name}`;
  return action === 'Set' ? headerValueProblem(value, of) : undefined;
}
